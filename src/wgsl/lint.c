/* What is right but could be better, each with its code, its place and a remedy. */
#include "internal.h"

#define PORTABLE_BYTES 16384 /* maxComputeWorkgroupStorageSize by default */
#define PORTABLE_INVOCATIONS 256
#define LARGE_ARRAY 16       /* elements that a function's array may have unremarked */

static uint32_t offset_of(const wgt_wgsl *m, uint32_t token) { return m->tokens[token].offset; }

static void lint_size(wgt_wgsl *m, const ws_decl *d) {
    for (unsigned axis = 0; axis < 3; axis++) {
        const ws_expr *x = d->workgroup[axis];
        if (x == NULL || x->stage != WS_CONSTANT || x->value == NULL ||
            (axis > 0 && wgt_ws_leaf(x->value, 0).i == 1))
            continue;
        wgt_ws_report(m, WGT_SEVERITY_INFO, "literal-workgroup-size", offset_of(m, x->token),
                      "declare an override with this default and name it here",
                      "the workgroup size of '%.*s' is fixed in the text, so no pipeline can choose another",
                      WS_S(wgt_ws_symbol_text(m, d->symbol)));
        return;
    }
}

/* Numbers in bodies and workgroup arrays that equal the size of an entry point whose size is free. */
static void lint_lock_in(wgt_wgsl *m, const ws_expr *x, int64_t size) {
    for (; x != NULL; x = x->next) {
        if (x->kind == WS_E_LITERAL && x->value != NULL && wgt_ws_is_int(x->type) &&
            wgt_ws_leaf(x->value, 0).i == size)
            wgt_ws_report(m, WGT_SEVERITY_WARNING, "geometry-lock", offset_of(m, x->token),
                          "if it follows from the size, write the size's override instead",
                          "%lld is the workgroup size too: another size may break what depends on it",
                          (long long)size);
        lint_lock_in(m, x->a, size);
        lint_lock_in(m, x->b, size);
    }
}

typedef void (*visit_stmt)(wgt_wgsl *m, const ws_stmt *s, int64_t size);

static void walk(wgt_wgsl *m, const ws_stmt *s, visit_stmt visit, int64_t size) {
    for (; s != NULL; s = s->next) {
        /* chains of else-if are as long as they like: in a loop */
        for (const ws_stmt *t = s; t != NULL; t = t->kind == WS_S_IF ? t->other : NULL) {
            visit(m, t, size);
            walk(m, t->init, visit, size);
            walk(m, t->body, visit, size);
            if (t->kind != WS_S_IF)
                walk(m, t->other, visit, size);
        }
    }
}

static void lock_stmt(wgt_wgsl *m, const ws_stmt *s, int64_t size) {
    lint_lock_in(m, s->a, size);
    lint_lock_in(m, s->b, size);
    if (s->decl != NULL) {
        lint_lock_in(m, s->decl->type_expr, size);
        lint_lock_in(m, s->decl->init, size);
    }
}

static void lint_locks(wgt_wgsl *m, const ws_decl *entry, ws_decl *const *workgroup, const uint32_t size[3]) {
    uint64_t product = (uint64_t)size[0] * size[1] * size[2];
    if (product < 16 || product > INT32_MAX)
        return;
    walk(m, entry->body, lock_stmt, (int64_t)product);
    for (; workgroup != NULL && *workgroup != NULL; workgroup++) {
        if ((*workgroup)->type_expr != NULL)
            lint_lock_in(m, (*workgroup)->type_expr->a, (int64_t)product);
    }
}

static void array_stmt(wgt_wgsl *m, const ws_stmt *s, int64_t size) {
    (void)size;
    const ws_decl *d = s->decl;
    if (d == NULL || d->kind != WS_D_VAR || d->type == NULL || d->type->kind != WS_T_ARRAY ||
        d->type->count < LARGE_ARRAY)
        return;
    wgt_ws_report(m, WGT_SEVERITY_WARNING, "function-array", offset_of(m, d->token),
                  "work the values out where they are used, or fuse the loops that fill and read it",
                  "'%.*s' keeps %llu bytes for each invocation: registers or slow memory",
                  WS_S(wgt_ws_symbol_text(m, d->symbol)), (unsigned long long)d->type->size);
}

static void lint_overrides(wgt_wgsl *m) {
    uint8_t *reached = wgt_ws_alloc(m, m->override_count, 1);
    for (size_t i = 0; reached != NULL && i < m->entry_count; i++) {
        const wgt_wgsl_list lists[] = {m->entries[i].sizing_overrides, m->entries[i].body_overrides};
        for (size_t k = 0; k < 2; k++) {
            for (size_t j = 0; j < lists[k].count; j++)
                reached[lists[k].items[j]] = 1;
        }
    }
    for (size_t i = 0; reached != NULL && i < m->override_count && m->entry_count > 0; i++) {
        if (!reached[i])
            wgt_ws_report(m, WGT_SEVERITY_WARNING, "unused-override", offset_of(m, m->override_decls[i]->token),
                          "remove it, or use it", "no entry point reaches the override '%.*s': its value changes nothing",
                          WS_S(m->overrides[i].name));
    }
}

static void lint_limits(wgt_wgsl *m, const wgt_wgsl_entry *e, const ws_decl *d, const uint32_t size[3]) {
    uint64_t counted, raw, invocations = (uint64_t)size[0] * size[1];
    bool known = wgt_wgsl_workgroup_bytes(m, e, NULL, 0, &counted, &raw, NULL) == WGT_OK;
    if (known && counted != WGT_UNKNOWN_U64 && counted > PORTABLE_BYTES)
        wgt_ws_report(m, WGT_SEVERITY_WARNING, "workgroup-bytes", offset_of(m, d->token),
                      "a smaller tile, or ask for a larger maxComputeWorkgroupStorageSize",
                      "'%.*s' takes %llu bytes of workgroup memory, WebGPU promises 16384",
                      WS_S(e->name), (unsigned long long)counted);
    if (!wgt_mul_u64(invocations, size[2], &invocations) || invocations > PORTABLE_INVOCATIONS)
        wgt_ws_report(m, WGT_SEVERITY_WARNING, "invocations", offset_of(m, d->token),
                      "a default of at most 256, or ask for a larger maxComputeInvocationsPerWorkgroup",
                      "'%.*s' has more than the 256 invocations a workgroup that WebGPU promises", WS_S(e->name));
}

static bool has_condition(const ws_stmt *s) {
    for (; s != NULL; s = s->next) {
        if (s->kind == WS_S_IF || ((s->kind == WS_S_FOR || s->kind == WS_S_WHILE) && s->a != NULL) ||
            has_condition(s->body))
            return true;
    }
    return false;
}

/* An entry that knows its global index, reaches a runtime-sized array that it may write, calls nothing of the
 * module's and never asks a question: the last workgroup's surplus writes where clamping puts it. */
static void lint_guard(wgt_wgsl *m, const wgt_wgsl_entry *e, const ws_decl *d) {
    bool writes = false;
    for (size_t i = 0; i < e->bindings.count; i++) {
        const wgt_wgsl_binding *b = &m->bindings[e->bindings.items[i]];
        writes = writes || (b->runtime_sized && b->kind == WGT_BIND_STORAGE_READ_WRITE && b->space == WGT_SPACE_STORAGE);
    }
    for (const ws_use *u = d->uses; u != NULL; u = u->next) {
        if (u->decl->kind == WS_D_FN)
            return;
    }
    if (writes && (d->builtins & WS_B_GLOBAL_ID) != 0 && !has_condition(d->body))
        wgt_ws_report(m, WGT_SEVERITY_WARNING, "missing-guard", offset_of(m, d->token),
                      "return where the index is beyond arrayLength",
                      "'%.*s' writes by its global index without asking whether that is in the array",
                      WS_S(e->name));
}

void wgt_ws_lint(wgt_wgsl *m) {
    if (m->error_count > 0)
        return;
    lint_overrides(m);
    for (const ws_decl *d = m->decls; d != NULL; d = d->next) {
        if (d->kind == WS_D_FN)
            walk(m, d->body, array_stmt, 0);
    }
    /* each of these costs a look at all overrides: no more entry points than there is room for remarks */
    for (size_t i = 0; i < m->entry_count && i < WS_MAX_DIAGNOSTICS; i++) {
        const ws_decl *d = m->entry_decls[i];
        uint32_t size[3];
        if (d->stage_of != 3)
            continue;
        lint_size(m, d);
        lint_guard(m, &m->entries[i], d);
        if (wgt_wgsl_workgroup_size(m, &m->entries[i], NULL, 0, size, NULL) != WGT_OK ||
            size[0] == 0 || size[1] == 0 || size[2] == 0)
            continue;
        lint_limits(m, &m->entries[i], d, size);
        lint_locks(m, d, m->entry_workgroup[i], size);
    }
}
