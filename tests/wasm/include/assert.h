/* xxhash.h asserts at compile time only. */
#ifndef WGT_WASM_ASSERT_H
#define WGT_WASM_ASSERT_H

#define static_assert _Static_assert

#endif
