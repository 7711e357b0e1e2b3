/* What the run needs of a sink beyond the public functions: packing by many threads. */
#ifndef PD_SINK_H
#define PD_SINK_H

#include "codec/codec.h"
#include "perfdata/emit.h"

/* A compressed output is cut into pieces of this size, each a gzip member or zstd frame of its own: so they can be compressed
 * by several threads, and the bytes depend on nothing but the contents. */
#define PD_SINK_PIECE ((size_t)1 << 20)

enum pd_codec_kind pd_sink_packing(const struct perfdata_sink *sink);
/* The unfinished piece of a compressed sink; fewer than PD_SINK_PIECE bytes between calls. */
struct perfdata_text *pd_sink_piece(struct perfdata_sink *sink);
/* Appends one compressed piece to `out`. The encoder is made at first need; free it with pd_encoder_free. */
enum perfdata_status pd_sink_pack(const struct perfdata_sink *sink, struct pd_encoder **encoder, const void *bytes, size_t size,
				  struct perfdata_text *out);
/* Writes a compressed piece that held `size_before` bytes. */
enum perfdata_status pd_sink_write_compressed(struct perfdata_sink *sink, const void *bytes, size_t size, size_t size_before);
/* Why the last write failed. */
const struct perfdata_error *pd_sink_error(const struct perfdata_sink *sink);

#endif
