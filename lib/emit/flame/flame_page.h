/* SPDX-License-Identifier: MIT */
/* The files of the page, made from lib/emit/flame/page/ when the library is built: style, body and script, one after
 * the other. gzip packs them if the library has zlib, which makes them fewer bytes. */
#ifndef PD_FLAME_PAGE_H
#define PD_FLAME_PAGE_H

#include <stddef.h>

extern const unsigned char pd_flame_page[];
extern const size_t pd_flame_page_stored;                    /* bytes of pd_flame_page */
extern const size_t pd_flame_page_css, pd_flame_page_body, pd_flame_page_script;   /* bytes of each file */

#endif
