/* Fault injection; an empty translation unit without -DWGT_FAULTS. */
#include "host.h"

#ifdef WGT_FAULTS
#include "../number.h"

#include <stdatomic.h>
#include <stdlib.h>

/* How many operations of each kind there were; the one piece of state that a test build may share.
 */
static atomic_uint_fast64_t counts[WGT_FAULT_READ + 1];

static const char *const kinds[] = {"alloc", "open", "write", "fsync", "rename", "read"};

bool wgt_fault(wgt_fault_kind kind) {
    wgt_str setting = wgt_str_from(getenv("WGTUNE_FAULT")), name = wgt_str_from(kinds[kind]);
    uint64_t wanted, count = atomic_fetch_add(&counts[kind], 1) + 1;
    if (!wgt_str_starts(setting, kinds[kind]) || setting.size <= name.size ||
        setting.data[name.size] != ':')
        return false;
    bool onwards = wgt_str_ends(setting, "+");
    wgt_str number = {setting.data + name.size + 1, setting.size - name.size - 1 - onwards};
    if (!wgt_u64_parse(number, &wanted))
        return false;
    return onwards ? count >= wanted : count == wanted;
}
#else
typedef int wgt_no_faults;
#endif
