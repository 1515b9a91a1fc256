/* `wgtune explain`: what a unit holds of a kernel, as text, as JSON, and for a whole table. */
#ifndef WGT_CLI_EXPLAIN_H
#define WGT_CLI_EXPLAIN_H

#include "base/text.h"
#include "wgtune/arch.h"

/* What is to be explained. */
typedef struct explain_request {
    const wgt_arch
        *arch; /* NULL: the unit was given in numbers, or each row of a batch names its own */
    bool has_unit;
    wgt_unit unit;         /* measured resources already in it */
    wgt_measured measured; /* the same for a batch, whose rows name their own architecture */
    wgt_difference differences[WGT_MEASURED_COUNT];
    size_t difference_count;
    wgt_use use;
    bool has_workgroup; /* false: only the chart over sizes */
    bool cu_mode;
} explain_request;

#define EXPLAIN_SIZES 64
/* The sizes of the chart: subgroup multiples in powers of two and 3·2^k, and the asked one. */
size_t explain_sizes(const explain_request *request, uint32_t sizes[EXPLAIN_SIZES]);

void explain_text(wgt_out *out, const explain_request *request);
void explain_json(wgt_out *out, const explain_request *request);

/* The most that a workgroup or an invocation may have is exceeded: what and by which limit. False
 * when nothing is. */
bool explain_exceeded(const explain_request *request, wgt_error *error);

/* The CSV on stdin with four columns more on `out`. `request` holds the architecture for rows
 * without one (NULL: there must be a column), and measured resources for all. Errors: WGT_BAD_INPUT
 * with `stdin:line:column: what`. */
wgt_status explain_batch(wgt_out *out, const explain_request *request, wgt_error *error);

#endif
