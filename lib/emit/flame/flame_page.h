/* SPDX-License-Identifier: MIT */
/* The constant parts of the page, generated from lib/emit/flame/page/ by the build. */
#ifndef PD_FLAME_PAGE_H
#define PD_FLAME_PAGE_H

#include <stddef.h>

extern const unsigned char pd_flame_page_css[], pd_flame_page_body[], pd_flame_page_script[];
extern const size_t pd_flame_page_css_size, pd_flame_page_body_size, pd_flame_page_script_size;

#endif
