// SPDX-License-Identifier: MIT
// Functions that exports.c calls: they call those that the user of the module put into Module.calls. strtod.c calls js_number.
mergeInto(LibraryManager.library, {
	js_read_at: function (offset, buffer, room) { return Module['calls'].readAt(offset, buffer, room); },
	js_write: function (output, bytes, size) { return Module['calls'].write(output, bytes, size); },
	js_open: function (name) { return Module['calls'].open(UTF8ToString(name)); },
	js_finding: function (severity, code, json) { Module['calls'].finding(severity, code, UTF8ToString(json)); },
	js_number: function (text, size) { return Number(UTF8ToString(text, size)); },
	js_progress: function (done, total) { return Module['calls'].progress(done, total); },
});
