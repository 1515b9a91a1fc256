/* What a count of resident workgroups says of one unit. */
#include "wgtune/tuner.h"
#include "../base/number.h"

/* Counted on an NVIDIA H200: kernels whose workgroups end while others start come to 11.97 or 8.98 a unit where 12 and 9
 * fit. */
#define NEAR 0.15

wgt_resident_unit wgt_resident_per_unit(uint64_t resident, double compute_units) {
    if (resident == WGT_UNKNOWN_U64 || !(compute_units > 0))
        return (wgt_resident_unit){wgt_nan(), false};
    double quotient = (double)resident / compute_units, whole = wgt_round_even(quotient);
    if (whole >= 1 && wgt_abs(quotient - whole) <= NEAR)
        return (wgt_resident_unit){whole, true};
    return (wgt_resident_unit){wgt_round_even(quotient * 100) / 100, false};
}
