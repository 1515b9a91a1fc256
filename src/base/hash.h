/* XXH3-128 (the xxhash library) behind our own type. Pure. */
#ifndef WGT_BASE_HASH_H
#define WGT_BASE_HASH_H

#include "wgtune/base.h"

wgt_hash wgt_hash_bytes(const void *data, size_t size);
/* Folds a second hash into a first, order matters. */
wgt_hash wgt_hash_combine(wgt_hash a, wgt_hash b);
bool wgt_hash_equal(wgt_hash a, wgt_hash b);

#define WGT_HASH_TEXT_SIZE 33
void wgt_hash_format(wgt_hash hash, char text[WGT_HASH_TEXT_SIZE]); /* 32 lower-case digits */
bool wgt_hash_parse(wgt_str text, wgt_hash *hash);

#endif
