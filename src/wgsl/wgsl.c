/* The public face: making a module, and questions that depend on values for overrides. */
#include "internal.h"

static wgt_status finish(wgt_wgsl *m, wgt_error *error) {
    if (m->no_memory)
        return wgt_fail(error, WGT_NO_MEMORY, "%.*s: no memory left to read it", WS_S(m->name));
    if (m->error_count == 0)
        return WGT_OK;
    for (size_t i = 0; i < m->diagnostic_count; i++) {
        const wgt_diagnostic *d = &m->diagnostics[i];
        if (d->severity == WGT_SEVERITY_ERROR)
            return wgt_fail(error, WGT_BAD_INPUT, "%.*s:%u:%u: %.*s", (int)m->name.size, m->name.data, d->line,
                            d->column, (int)d->message.size, d->message.data);
    }
    return wgt_fail(error, WGT_BAD_INPUT, "%.*s: this is not WGSL", WS_S(m->name));
}

/* One error in place of the many that a preprocessor's lines would give, where the first of those is. */
static void report_foreign(wgt_wgsl *m) {
    uint32_t line, column;
    wgt_ws_place(m, m->foreign_offset, &line, &column);
    wgt_ws_sort_diagnostics(m);
    bool earlier = m->diagnostic_count > 0 && m->diagnostics[0].line < line;
    uint32_t at[2] = {earlier ? m->diagnostics[0].line : line, earlier ? m->diagnostics[0].column : column};
    m->diagnostic_count = 0;
    m->error_count = 0;
    wgt_ws_report(m, WGT_SEVERITY_ERROR, "preprocessed", m->foreign_offset,
                  "run the preprocessor first and pass what comes out",
                  "'%.*s' in line %u belongs to a preprocessor or a template, this is no plain WGSL",
                  WS_S(m->foreign), line);
    if (m->diagnostic_count > 0) {
        m->diagnostics[0].line = at[0];
        m->diagnostics[0].column = at[1];
    }
    m->fatal = true;
}

static void read_text(wgt_wgsl *m) {
    m->diagnostics = wgt_ws_alloc(m, WS_MAX_DIAGNOSTICS, sizeof *m->diagnostics);
    if (m->diagnostics == NULL || !wgt_ws_predeclare(m) || !wgt_ws_types_init(m) || !wgt_ws_lex(m))
        return;
    wgt_ws_parse(m);
    if (m->foreign.size > 0)
        report_foreign(m);
    if (m->fatal || m->no_memory)
        return;
    m->syntax_error = m->syntax_error || m->error_count > 0;
    wgt_ws_check(m);
    if (!m->no_memory)
        wgt_ws_reflect(m);
    if (!m->no_memory)
        wgt_ws_lint(m);
    wgt_ws_sort_diagnostics(m);
}

wgt_status wgt_wgsl_create(const wgt_wgsl_options *options, wgt_str name, wgt_str text, wgt_wgsl **module,
                           wgt_error *error) {
    *module = NULL;
    const wgt_allocator *allocator = options == NULL ? NULL : options->allocator;
    if (allocator == NULL)
        return wgt_fail(error, WGT_USAGE, "reading WGSL needs an allocator");
    if (text.size > UINT32_MAX / 2)
        return wgt_fail(error, WGT_BAD_INPUT, "%.*s: larger than 2 GiB", WS_S(name));
    wgt_wgsl *m = allocator->resize(allocator->user, NULL, 0, sizeof *m);
    if (m == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "%.*s: no memory left to read it", WS_S(name));
    memset(m, 0, sizeof *m);
    m->allocator = allocator;
    wgt_arena_init(&m->arena, allocator);
    m->arena.limit = options->memory_limit;
    if (m->arena.limit == 0 && (!wgt_mul_size(text.size, 64, &m->arena.limit) ||
                                !wgt_add_size(m->arena.limit, (size_t)16 << 20, &m->arena.limit)))
        m->arena.limit = 0;
    m->text = text;
    m->name = wgt_arena_copy(&m->arena, name);
    read_text(m);
    *module = m;
    return finish(m, error);
}

void wgt_wgsl_destroy(wgt_wgsl **module) {
    if (module == NULL || *module == NULL)
        return;
    wgt_wgsl *m = *module;
    wgt_arena_release(&m->arena);
    m->allocator->resize(m->allocator->user, m, sizeof *m, 0);
    *module = NULL;
}

size_t wgt_wgsl_overrides(const wgt_wgsl *m, const wgt_wgsl_override **overrides) {
    *overrides = m->overrides;
    return m->override_count;
}

size_t wgt_wgsl_entries(const wgt_wgsl *m, const wgt_wgsl_entry **entries) {
    *entries = m->entries;
    return m->entry_count;
}

size_t wgt_wgsl_bindings(const wgt_wgsl *m, const wgt_wgsl_binding **bindings) {
    *bindings = m->bindings;
    return m->binding_count;
}

size_t wgt_wgsl_diagnostics(const wgt_wgsl *m, const wgt_diagnostic **diagnostics) {
    *diagnostics = m->diagnostics;
    return m->diagnostic_count;
}

size_t wgt_wgsl_enables(const wgt_wgsl *m, const wgt_str **names) {
    *names = m->enables;
    return m->enable_count;
}

size_t wgt_wgsl_requires(const wgt_wgsl *m, const wgt_str **names) {
    *names = m->requires_;
    return m->require_count;
}

/* --- under values ------------------------------------------------------------------------------ */

typedef struct query {
    ws_eval e;
    wgt_arena arena;
    const wgt_wgsl *m;
    const wgt_wgsl_value *values;
    size_t value_count;
    const ws_value **results;
    uint8_t *done;
    wgt_error *error;
    wgt_status status;
} query;

static wgt_status begin(query *q, const wgt_wgsl *m, const wgt_wgsl_value *values, size_t count,
                        wgt_error *error) {
    memset(q, 0, sizeof *q);
    q->m = m;
    q->values = values;
    q->value_count = count;
    q->error = error;
    wgt_arena_init(&q->arena, m->allocator);
    q->results = wgt_arena_push(&q->arena, m->override_count, sizeof *q->results);
    q->done = wgt_arena_push(&q->arena, m->override_count, 1);
    /* the evaluator only adds types to the module's table, and only at its first use of one */
    q->e = (ws_eval){.m = (wgt_wgsl *)(uintptr_t)m, .arena = &q->arena, .pipeline = true,
                     .override_values = q->results};
    if (q->results == NULL || q->done == NULL)
        q->status = wgt_fail(error, WGT_NO_MEMORY, "no memory left");
    return q->status;
}

static wgt_status end(query *q) {
    if (q->status == WGT_OK && q->e.failed) {
        uint32_t line, column;
        wgt_ws_place(q->m, q->m->tokens[q->e.token].offset, &line, &column);
        q->status = wgt_fail(q->error, WGT_BAD_INPUT, "%.*s:%u:%u: %s", (int)q->m->name.size, q->m->name.data,
                             line, column, q->e.message);
    }
    wgt_arena_release(&q->arena);
    return q->status;
}

static const ws_value *given(query *q, const ws_decl *d, double x) {
    ws_scalar *s;
    const ws_value *v = wgt_ws_make_value(&q->e, d->type, &s);
    if (v == NULL)
        return NULL;
    bool ok = wgt_is_finite(x);
    switch (d->type->kind) {
    case WS_T_BOOL: s->i = x != 0; break;
    case WS_T_I32:
    case WS_T_U32:
        ok = ok && x == wgt_trunc(x) &&
             (d->type->kind == WS_T_U32 ? x >= 0 && x <= 4294967295.0 : x >= -2147483648.0 && x <= 2147483647.0);
        s->i = ok ? (int64_t)x : 0;
        break;
    default: {
        ok = ok && wgt_abs(x) < (d->type->kind == WS_T_F16 ? 65520.0 : 0x1.ffffffp127);
        s->f = ok ? (double)(float)x : 0;
        if (ok && d->type->kind == WS_T_F16)
            s->f = (double)wgt_f32_from_f16(wgt_f16_from_f32((float)x));
        break;
    }
    }
    if (ok)
        return v;
    wgt_ws_eval_fail(&q->e, d->token, "the value %g for '%.*s' is no %.*s", x,
                     WS_S(wgt_ws_symbol_text(q->m, d->symbol)), WS_S(d->type->name));
    return NULL;
}

static bool find_given(const query *q, const ws_decl *d, double *x) {
    wgt_str name = wgt_ws_symbol_text(q->m, d->symbol);
    for (size_t i = 0; i < q->value_count; i++) {
        if (wgt_str_equal(q->values[i].name, name)) {
            *x = q->values[i].value;
            return true;
        }
    }
    return false;
}

/* An override's value, after those that its default needs. Chains are at most WS_MAX_REFERENCES long. */
static void resolve(query *q, const ws_decl *d) {
    if (d->type == NULL || q->done[d->index])
        return;
    q->done[d->index] = 1;
    double x;
    if (find_given(q, d, &x)) {
        q->results[d->index] = given(q, d, x);
        return;
    }
    if (d->init == NULL || d->state != 2)
        return;
    for (const ws_use *u = d->uses; u != NULL; u = u->next) {
        if (u->decl->kind == WS_D_OVERRIDE)
            resolve(q, u->decl);
    }
    q->results[d->index] = wgt_ws_evaluate(&q->e, d->init);
}

static void resolve_list(query *q, wgt_wgsl_list list) {
    for (size_t i = 0; i < list.count; i++)
        resolve(q, q->m->override_decls[list.items[i]]);
}

wgt_status wgt_wgsl_workgroup_size(const wgt_wgsl *m, const wgt_wgsl_entry *entry, const wgt_wgsl_value *values,
                                   size_t value_count, uint32_t size[3], wgt_error *error) {
    query q;
    if (begin(&q, m, values, value_count, error) != WGT_OK)
        return end(&q);
    const ws_decl *d = m->entry_decls[entry - m->entries];
    uint32_t result[3] = {1, 1, 1};
    resolve_list(&q, entry->size_overrides);
    for (unsigned axis = 0; axis < 3; axis++) {
        const ws_expr *x = d->workgroup[axis];
        if (x == NULL)
            continue;
        const ws_value *v = wgt_ws_evaluate(&q.e, x);
        int64_t n = v == NULL ? 0 : wgt_ws_leaf(v, 0).i;
        if (v != NULL && (n < 1 || n > INT32_MAX))
            wgt_ws_eval_fail(&q.e, x->token, "the workgroup size %lld is not from 1 to 2147483647", (long long)n);
        result[axis] = (uint32_t)n;
    }
    wgt_status status = end(&q);
    if (status == WGT_OK)
        memcpy(size, result, sizeof result);
    return status;
}

wgt_status wgt_wgsl_workgroup_bytes(const wgt_wgsl *m, const wgt_wgsl_entry *entry, const wgt_wgsl_value *values,
                                    size_t value_count, uint64_t *counted, uint64_t *raw, wgt_error *error) {
    query q;
    if (begin(&q, m, values, value_count, error) != WGT_OK)
        return end(&q);
    uint64_t sum = 0, rounded = 0;
    bool known = true;
    resolve_list(&q, entry->sizing_overrides);
    for (ws_decl *const *d = m->entry_workgroup[entry - m->entries]; d != NULL && *d != NULL; d++) {
        uint64_t size = 0;
        if (!wgt_ws_size_under(&q.e, (*d)->type, &size, error)) {
            known = false;
            continue;
        }
        /* a variable is at most 4 GiB and a text at most 2 GiB: the sums stay below 2^63 */
        sum += size;
        rounded += wgt_div_ceil_u64(size, 16) * 16;
    }
    wgt_status status = end(&q);
    if (status == WGT_OK) {
        *counted = known ? rounded : WGT_UNKNOWN_U64;
        *raw = known ? sum : WGT_UNKNOWN_U64;
    }
    return status;
}

wgt_status wgt_wgsl_override_default(const wgt_wgsl *m, size_t override_index, const wgt_wgsl_value *values,
                                     size_t value_count, double *value, wgt_error *error) {
    query q;
    if (override_index >= m->override_count)
        return wgt_fail(error, WGT_USAGE, "there is no override %zu", override_index);
    if (begin(&q, m, values, value_count, error) != WGT_OK)
        return end(&q);
    resolve(&q, m->override_decls[override_index]);
    const ws_value *v = q.results[override_index];
    double result = v == NULL ? wgt_nan() : wgt_ws_as_double(v);
    wgt_status status = end(&q);
    if (status == WGT_OK)
        *value = result;
    return status;
}

void wgt_ws_default_values(wgt_wgsl *m) {
    query q;
    begin(&q, m, NULL, 0, NULL);
    for (size_t i = 0; q.status == WGT_OK && i < m->override_count; i++) {
        resolve(&q, m->override_decls[i]);
        if (q.results[i] != NULL)
            m->overrides[i].default_value = wgt_ws_as_double(q.results[i]);
        if (q.e.failed)
            wgt_ws_error(m, "constant", q.e.token, "%s", q.e.message);
        q.e.failed = false;
    }
    end(&q);
}
