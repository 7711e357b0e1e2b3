/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/describe/meta_keys.h"

const struct meta_key pd_meta_keys[] = {
	{ "schema", "Name and version of this schema.", JSON_STRING, false, false },
	{ "recording", "Name of the recording, where several share an output.", JSON_STRING, true, false },
	{ "recording_hex", "The bytes of that, where they are not valid UTF-8.", JSON_HEX, true, false },
	{ "file", "The file as it was opened.", JSON_STRING, false, false },
	{ "file_hex", "The bytes of its name, where they are not valid UTF-8.", JSON_HEX, true, false },
	{ "container", "file, pipe or directory.", JSON_STRING, false, false },
	{ "byte_order", "little or big.", JSON_STRING, false, false },
	{ "packing", "How the file was packed: none, gzip, zstd or xz.", JSON_STRING, false, false },
	{ "header", "The file header.", JSON_OBJECT, false, false },
	{ "device", "Android: device, system, app and recorder, as simpleperf recorded them.", JSON_OBJECT, true,
	  false },
	{ "events", "In meta: what was recorded, with its attr and ids. In summary: how often.", JSON_OBJECTS, false,
	  false },
	{ "features", "Feature sections by name.", JSON_OBJECT, false, false },
	{ 0 },
};

const struct meta_key pd_summary_keys[] = {
	{ "recording", "Name of the recording, where several share an output.", JSON_STRING, true, false },
	{ "recording_hex", "The bytes of that, where they are not valid UTF-8.", JSON_HEX, true, false },
	{ "records", "Number of records in the recording, before filters.", JSON_UNSIGNED, false, false },
	{ "types", "How many records there are of each type.", JSON_OBJECT, false, false },
	{ "events", "How many samples and deliveries each event has.", JSON_OBJECTS, false, false },
	{ "first_time", "Time of the first sample.", JSON_UNSIGNED, false, true },
	{ "last_time", "Time of the last sample.", JSON_UNSIGNED, false, true },
	{ "lost_records", "Sum of LOST records.", JSON_UNSIGNED, false, false },
	{ "lost_samples", "Sum of LOST_SAMPLES records.", JSON_UNSIGNED, false, false },
	{ "aux_lost", "AUX records with lost or damaged data.", JSON_UNSIGNED, false, false },
	{ "late", "Records that came later than their time.", JSON_UNSIGNED, false, false },
	{ "unknown_ids", "Records whose id belongs to no event.", JSON_UNSIGNED, false, false },
	{ "records_out", "Number of records in this output, after filters.", JSON_UNSIGNED, false, false },
	{ "new_events", "Pipes: events that came, or were named, after meta.", JSON_OBJECTS, true, false },
	{ "features", "Pipes: feature sections that came after meta.", JSON_OBJECT, true, false },
	{ "findings", "What is wrong or odd: the first ones.", JSON_OBJECTS, false, false },
	{ "findings_total", "How many there were.", JSON_UNSIGNED, false, false },
	{ "stopped", "Why the output ends early.", JSON_STRING, true, false },
	{ "complete", "The whole recording was read and written.", JSON_BOOLEAN, false, false },
	{ 0 },
};
