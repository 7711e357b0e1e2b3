// SPDX-License-Identifier: MIT
// Makes Arrow's IPC stream from a table's structs of the Arrow C data interface in the module's memory.
// https://arrow.apache.org/docs/format/Columnar.html, Message.fbs and Schema.fbs there; structs of a machine with 32-bit pointers.

/** A FlatBuffer. It is written from its end, and offsets count from the end. */
class FlatBuffer {
	bytes = new Uint8Array(1024);
	used = 0;
	alignment = 1;

	align(size, more = 0) {
		this.alignment = Math.max(this.alignment, size);
		const padding = -(this.used + more) & (size - 1);
		while (this.bytes.length < this.used + padding + more + size) {
			const larger = new Uint8Array(2 * this.bytes.length);
			larger.set(this.bytes, this.bytes.length);
			this.bytes = larger;
		}
		this.used += padding;
	}
	put(size, value) {
		this.align(size);
		this.used += size;
		const view = new DataView(this.bytes.buffer, this.bytes.length - this.used, size);
		if (size === 8)
			view.setBigInt64(0, BigInt(value), true);
		else
			view[{ 1: 'setInt8', 2: 'setInt16', 4: 'setInt32' }[size]](0, value, true);
		return this.used;
	}
	offset(to) {
		this.align(4);
		return this.put(4, this.used - to + 4);
	}
	vector(size, items, put) {
		this.align(4, size * items.length);
		this.align(Math.min(size, 8), size * items.length);
		for (const item of items.toReversed())
			put(item);
		return this.put(4, items.length);
	}
	offsets(items) { return this.vector(4, items, (item) => this.offset(item)); }
	string(text) {
		const bytes = new TextEncoder().encode(text);
		this.put(1, 0);
		return this.vector(1, [...bytes], (byte) => this.put(1, byte));
	}
	/** fields: [size, value] or ['offset', to], by field number; undefined: field is absent. */
	table(fields) {
		const places = [], begin = this.used;
		fields.forEach((field, number) => {
			if (field)
				places[number] = field[0] === 'offset' ? this.offset(field[1]) : this.put(...field);
		});
		const at = this.put(4, 0);
		for (let number = places.length - 1; number >= 0; number--)
			this.put(2, places[number] === undefined ? 0 : at - places[number]);
		this.put(2, at - begin);
		const heads = this.put(2, 2 * (places.length + 2));
		new DataView(this.bytes.buffer).setInt32(this.bytes.length - at, heads - at, true);
		return at;
	}
	finish(root) {
		this.align(Math.max(this.alignment, 8), 4);
		this.offset(root);
		return this.bytes.subarray(this.bytes.length - this.used);
	}
}

const VERSION = 4, SCHEMA = 1, RECORD_BATCH = 3;   // V5
/** Arrow's format letter → number of the type, its table, bits of a value; text: offsets and bytes. */
const TYPES = {
	b: { type: 6, fields: [], bits: 1 },
	i: { type: 2, fields: [[4, 32], [1, 1]], bits: 32 },
	l: { type: 2, fields: [[4, 64], [1, 1]], bits: 64 },
	L: { type: 2, fields: [[4, 64]], bits: 64 },
	g: { type: 3, fields: [[2, 2]], bits: 64 },
	u: { type: 5, fields: [], text: true },
	z: { type: 4, fields: [], text: true },
	'+l': { type: 12, fields: [] },
};

const padded = (size) => (size + 7) & ~7;

/** A message and its body. */
function message(flat, kind, header, body, parts) {
	const root = flat.table([[2, VERSION], [1, kind], ['offset', header], [8, body]]);
	const metadata = flat.finish(root), size = padded(metadata.length);
	const bytes = new Uint8Array(8 + size + body), view = new DataView(bytes.buffer);
	view.setUint32(0, 0xffffffff, true);
	view.setUint32(4, size, true);
	bytes.set(metadata, 8);
	for (const { at, data } of parts)
		bytes.set(data, 8 + size + at);
	return bytes;
}

/** heap() → the module's current memory: its buffer changes when it grows. */
export function arrowWriter(heap) {
	const view = () => new DataView(heap().buffer);
	const pointer = (at) => view().getUint32(at, true), number = (at) => Number(view().getBigInt64(at, true));
	function text(at) {
		const bytes = heap();
		return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
	}
	const children = (count, at) => Array.from({ length: count }, (_, index) => pointer(at + 4 * index));

	function readField(schema) {
		const format = text(pointer(schema));
		if (format !== '+s' && !TYPES[format])
			throw new Error(`no column has Arrow's format ${format}`);
		return { format, name: text(pointer(schema + 4)), nullable: (number(schema + 16) & 2) !== 0, children: children(number(schema + 24), pointer(schema + 32)).map(readField) };
	}

	function writeField(flat, { format, name, nullable, children: inside }) {
		const parts = flat.offsets(inside.map((one) => writeField(flat, one))), type = flat.table(TYPES[format].fields), called = flat.string(name);
		return flat.table([['offset', called], [1, nullable ? 1 : 0], [1, TYPES[format].type], ['offset', type], undefined, ['offset', parts]]);
	}

	function nulls(bitmap, rows) {
		let nr = rows;
		for (let row = 0; row < rows; row++)
			nr -= bitmap[row >> 3] >> (row & 7) & 1;
		return nr;
	}

	/** Adds nodes and buffers of a column, then those of its children. */
	function readColumn(field, array, nodes, buffers) {
		const rows = number(array), counted = number(array + 8), places = children(number(array + 24), pointer(array + 40));
		const copy = (at, size) => (at ? heap().slice(at, at + size) : new Uint8Array(0));
		const valid = copy(places[0], (rows + 7) >> 3), type = TYPES[field.format];
		nodes.push({ rows, nulls: counted < 0 ? nulls(valid, rows) : counted });
		buffers.push(valid);
		if (type.bits) {
			buffers.push(copy(places[1], Math.ceil(rows * type.bits / 8)));
			return;
		}
		const offsets = copy(places[1], 4 * (rows + 1));
		buffers.push(offsets);
		if (type.text)
			buffers.push(copy(places[2], offsets.length ? new DataView(offsets.buffer).getInt32(4 * rows, true) : 0));
		children(number(array + 32), pointer(array + 44)).forEach((child, index) => readColumn(field.children[index], child, nodes, buffers));
	}

	let fields;
	return {
		schema(at) {
			const flat = new FlatBuffer();
			fields = readField(at).children;
			const list = flat.offsets(fields.map((field) => writeField(flat, field)));
			return message(flat, SCHEMA, flat.table([[2, 0], ['offset', list]]), 0, []);
		},
		batch(at) {
			const nodes = [], buffers = [], parts = [], places = [], flat = new FlatBuffer();
			children(number(at + 32), pointer(at + 44)).forEach((child, index) => readColumn(fields[index], child, nodes, buffers));
			let body = 0;
			for (const data of buffers) {
				places.push({ at: body, size: data.length });
				parts.push({ at: body, data });
				body += padded(data.length);
			}
			const struct = (second, first) => { flat.put(8, second); flat.put(8, first); };
			const buffered = flat.vector(16, places, ({ at: from, size }) => struct(size, from));
			const noded = flat.vector(16, nodes, ({ rows, nulls: missing }) => struct(missing, rows));
			return message(flat, RECORD_BATCH, flat.table([[8, number(at)], ['offset', noded], ['offset', buffered]]), body, parts);
		},
		end: () => new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]),
	};
}
