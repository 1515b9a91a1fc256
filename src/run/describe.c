#include "describe.h"
#include "../base/number.h"
#include "../base/text.h"

#define MAX_WARNINGS 8

/* A shape is about throughput over the size. What follows from it is an inference from the curve alone, and said as
 * one. */
static const char *meaning(wgt_shape shape) {
    switch (shape) {
    case WGT_SHAPE_FLAT:
        return "the size makes no difference here, so it is not occupancy that holds this kernel back";
    case WGT_SHAPE_PLATEAU:
        return "beyond the knee more resident invocations buy nothing, which suggests a memory-bound kernel";
    case WGT_SHAPE_PEAK:
        return "slower on both sides, which suggests a register or shared-memory limit; a fragile pick: tune "
               "again after each edit";
    case WGT_SHAPE_CLIMB:
        return "only the largest sizes are fast, which suggests a fixed cost a workgroup or too few workgroups "
               "for the device";
    case WGT_SHAPE_FALL:
        return "the smallest sizes win, which suggests memory of each invocation (local arrays, spills) or the "
               "cache";
    case WGT_SHAPE_JAGGED:
        return "a slower size lies amid the fastest ones, often one that is no multiple of what the hardware "
               "schedules";
    case WGT_SHAPE_UNRANKED:
        return "the noise or the clock cannot tell the candidates apart; the pick is by preference, not by time";
    case WGT_SHAPE_NONE:
        break;
    }
    return NULL;
}

static uint32_t invocations(const wgt_candidate *c) {
    return c->workgroup[0] * c->workgroup[1] * c->workgroup[2];
}

/* The smallest size of the tie: where the plateau begins. */
static uint32_t knee(const wgt_result *r) {
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < r->candidate_count; i++) {
        const wgt_candidate_result *c = &r->candidates[i];
        if (c->tie == WGT_TIE_IN && invocations(&c->candidate) < smallest) {
            smallest = invocations(&c->candidate);
        }
    }
    return smallest;
}

static wgt_str format_copy(wgt_arena *arena, const char *format, ...) WGT_PRINTF(2, 3);
static wgt_str format_copy(wgt_arena *arena, const char *format, ...) {
    char memory[512];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    va_list arguments;
    va_start(arguments, format);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    return wgt_arena_copy(arena, (wgt_str){out.data, out.size});
}

static wgt_str shape_text(const wgt_result *r, wgt_arena *arena) {
    const char *text = meaning(r->summary.shape);
    if (text == NULL) {
        return (wgt_str){NULL, 0};
    }
    if (r->summary.shape == WGT_SHAPE_PLATEAU) {
        return format_copy(arena, "from %u on: %s", knee(r), text);
    }
    return wgt_str_from(text);
}

typedef struct warnings {
    wgt_str *items;
    size_t count;
} warnings;

static void warn(warnings *list, wgt_str text) {
    if (text.data != NULL && list->count < MAX_WARNINGS) {
        list->items[list->count++] = text;
    }
}

static void collect_warnings(const wgt_result *r, warnings *list, wgt_arena *arena) {
    if (r->adapter.type == WGT_ADAPTER_CPU) {
        warn(list, format_copy(arena, "%s is a CPU adapter: good for correctness; its times vary several-fold "
                                      "from run to run and say nothing about a GPU",
                               r->adapter.device));
    }
    if (!r->clock.timestamps) {
        warn(list, format_copy(arena, "timed by the host's clock%s%s", r->clock.note[0] != '\0' ? ": " : "",
                               r->clock.note));
    }
    if (r->summary.interrupted) {
        warn(list, WGT_STR("interrupted: the curve holds what was measured until then"));
    }
    if (r->summary.out_of_budget) {
        warn(list, format_copy(arena, "the budget ended after %u rounds; a larger --budget narrows the intervals",
                               r->summary.rounds));
    }
    const wgt_pick *pick = &r->summary.pick;
    if (pick->reason != WGT_PICK_NONE && r->summary.shape == WGT_SHAPE_UNRANKED) {
        warn(list, WGT_STR("not ranked: close other programs or take a larger problem, then tune again with "
                           "--fresh"));
    }
}

wgt_status wgt_describe(wgt_result *r, double bytes_moved, wgt_arena *arena, wgt_error *error) {
    wgt_str *items = WGT_NEW_ARRAY(arena, wgt_str, MAX_WARNINGS);
    if (items == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    r->shape_text = shape_text(r, arena);
    warnings list = {items, 0};
    collect_warnings(r, &list, arena);
    r->warnings = items;
    r->warning_count = list.count;
    r->bound = WGT_STR("unknown");
    r->reachable_gb_s = wgt_nan();
    r->achieved_gb_s = wgt_nan();
    const wgt_pick *pick = &r->summary.pick;
    if (pick->reason != WGT_PICK_NONE && pick->candidate < r->candidate_count) {
        double median_ns = r->candidates[pick->candidate].median_ns;
        if (median_ns > 0) {
            r->achieved_gb_s = bytes_moved / median_ns; /* bytes a nanosecond are GB/s */
        }
    }
    return WGT_OK;
}
