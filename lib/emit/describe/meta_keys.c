/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/describe/meta_keys.h"

const struct meta_key pd_meta_keys[] = {
	{ "schema", "Name and version of this schema.", JSON_STRING, false, false },
	{ "recording", "Name of the recording, if several share an output.", JSON_STRING, true, false },
	{ "recording_hex", "Bytes of `recording`, if they are not valid UTF-8.", JSON_HEX, true, false },
	{ "file", "Path of the file as opened.", JSON_STRING, false, false },
	{ "file_hex", "Bytes of `file`, if they are not valid UTF-8.", JSON_HEX, true, false },
	{ "container", "file, pipe or directory.", JSON_STRING, false, false },
	{ "byte_order", "little or big.", JSON_STRING, false, false },
	{ "packing", "Compression of the file: none, gzip, zstd or xz.", JSON_STRING, false, false },
	{ "header", "The file header.", JSON_OBJECT, false, false },
	{ "device", "Android: device, system, app and recorder, as simpleperf recorded them.", JSON_OBJECT, true,
	  false },
	{ "events", "In meta: the events with their attrs and ids. In summary: their counts.", JSON_OBJECTS, false,
	  false },
	{ "features", "Feature sections by name.", JSON_OBJECT, false, false },
	{ 0 },
};

const struct meta_key pd_summary_keys[] = {
	{ "recording", "Name of the recording, if several share an output.", JSON_STRING, true, false },
	{ "recording_hex", "Bytes of `recording`, if they are not valid UTF-8.", JSON_HEX, true, false },
	{ "records", "Number of records in the recording, before filters.", JSON_UNSIGNED, false, false },
	{ "types", "Number of records of each type.", JSON_OBJECT, false, false },
	{ "events", "Number of samples and deliveries of each event.", JSON_OBJECTS, false, false },
	{ "first_time", "Time of the first sample.", JSON_UNSIGNED, false, true },
	{ "last_time", "Time of the last sample.", JSON_UNSIGNED, false, true },
	{ "lost_records", "Total of the counts in LOST records.", JSON_UNSIGNED, false, false },
	{ "lost_samples", "Total of the counts in LOST_SAMPLES records.", JSON_UNSIGNED, false, false },
	{ "aux_lost", "AUX records with lost or damaged data.", JSON_UNSIGNED, false, false },
	{ "late", "Records that are older than a record before them.", JSON_UNSIGNED, false, false },
	{ "unknown_ids", "Records whose id belongs to no event.", JSON_UNSIGNED, false, false },
	{ "records_out", "Number of records in this output, after filters.", JSON_UNSIGNED, false, false },
	{ "new_events", "Pipes: events that were read, or named, after meta.", JSON_OBJECTS, true, false },
	{ "features", "Pipes: feature sections that were read after meta.", JSON_OBJECT, true, false },
	{ "findings", "The first findings: what is wrong or odd.", JSON_OBJECTS, false, false },
	{ "findings_total", "Number of all findings.", JSON_UNSIGNED, false, false },
	{ "stopped", "Why the output ends early.", JSON_STRING, true, false },
	{ "complete", "All of the recording was read and written.", JSON_BOOLEAN, false, false },
	{ 0 },
};
