#include "config.h"
#include "symbols/symbols.h"
#ifdef HAVE_ELFUTILS
void pd_lines_close(struct pd_lines *lines) { (void)lines; }
enum perfdata_status pd_lines_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, struct perfdata_source *frames,
				   size_t room, size_t *ret_count)
{
	(void)dso, (void)vaddr, (void)frames, (void)room, (void)ret_count;
	return PERFDATA_ABSENT;
}
#endif
