/* A 1-D kernel on a 2-D grid of workgroups, and texts fitted to an engine. */
#include "rewriter.h"

#define TEXT_SIZE 4096

static wgt_str builtin_of(const wgt_rewrite *r, const ws_attribute *a) {
    for (; a != NULL; a = a->next) {
        if (wgt_str_is(wgt_ws_text(r->m, a->token, a->token + 1), "builtin") && a->arguments != NULL)
            return wgt_ws_text(r->m, a->arguments->begin, a->arguments->end);
    }
    return (wgt_str){"", 0};
}

static bool is_folded(wgt_str builtin) {
    return wgt_str_is(builtin, "global_invocation_id") || wgt_str_is(builtin, "workgroup_id") ||
           wgt_str_is(builtin, "num_workgroups");
}

typedef struct raw_inputs {
    wgt_str group, grid, local; /* how the new text reads what the grid really gives */
} raw_inputs;

static bool has_folded_member(const wgt_rewrite *r, const ws_decl *p) {
    if (p->type == NULL || p->type->kind != WS_T_STRUCT)
        return false;
    for (const ws_decl *d = p->type->decl->members; d != NULL; d = d->next) {
        if (is_folded(builtin_of(r, d->attributes)))
            return true;
    }
    return false;
}

/* Where an input stands: a parameter's new name, or a member behind it; a parameter is added where there is none. */
static wgt_str find_input(wgt_rewrite *r, const ws_decl *entry, const wgt_str *names, const char *builtin,
                          wgt_out *added) {
    char memory[2 * WS_NAME_SIZE];
    size_t i = 0;
    for (const ws_decl *p = entry->members; p != NULL; p = p->next, i++) {
        if (wgt_str_is(builtin_of(r, p->attributes), builtin))
            return names[i];
        for (const ws_decl *d = p->type->kind == WS_T_STRUCT ? p->type->decl->members : NULL; d != NULL; d = d->next) {
            if (!wgt_str_is(builtin_of(r, d->attributes), builtin))
                continue;
            wgt_str member = wgt_ws_symbol_text(r->m, d->symbol);
            size_t size = wgt_format(memory, sizeof memory, "%.*s.%.*s", (int)names[i].size, names[i].data,
                                     (int)member.size, member.data);
            return wgt_ws_rewrite_keep(r, (wgt_str){memory, size});
        }
    }
    wgt_format(memory, sizeof memory, "wgt_%s", builtin);
    wgt_str name = wgt_ws_rewrite_name(r, memory);
    wgt_putf(added, "@builtin(%s) %.*s: vec3<u32>, ", builtin, (int)name.size, name.data);
    return name;
}

static void put_value(wgt_rewrite *r, const ws_decl *entry, const raw_inputs *in, wgt_str builtin, wgt_out *out) {
    const ws_expr *x = entry->workgroup[0];
    wgt_str size = wgt_ws_text(r->m, x->begin, x->end);
    if (wgt_str_is(builtin, "num_workgroups")) {
        wgt_putf(out, "vec3<u32>(%.*s.x * %.*s.y, 1u, 1u);", (int)in->grid.size, in->grid.data, (int)in->grid.size,
                 in->grid.data);
        return;
    }
    wgt_putf(out, "vec3<u32>((%.*s.x + %.*s.y * %.*s.x)", (int)in->group.size, in->group.data, (int)in->group.size,
             in->group.data, (int)in->grid.size, in->grid.data);
    if (wgt_str_is(builtin, "global_invocation_id"))
        wgt_putf(out, " * u32(%.*s) + %.*s.x", (int)size.size, size.data, (int)in->local.size, in->local.data);
    wgt_put(out, WGT_STR(", 0u, 0u);"));
}

static void put_prelude(wgt_rewrite *r, const ws_decl *entry, const ws_decl *p, wgt_str new_name,
                        const raw_inputs *in, wgt_out *out) {
    wgt_str old = wgt_ws_symbol_text(r->m, p->symbol), builtin = builtin_of(r, p->attributes);
    if (is_folded(builtin)) {
        wgt_putf(out, " let %.*s = ", (int)old.size, old.data);
        put_value(r, entry, in, builtin, out);
        return;
    }
    wgt_putf(out, " var %.*s = %.*s;", (int)old.size, old.data, (int)new_name.size, new_name.data);
    for (const ws_decl *d = p->type->decl->members; d != NULL; d = d->next) {
        wgt_str member = wgt_ws_symbol_text(r->m, d->symbol);
        if (!is_folded(builtin_of(r, d->attributes)))
            continue;
        wgt_putf(out, " %.*s.%.*s = ", (int)old.size, old.data, (int)member.size, member.data);
        put_value(r, entry, in, builtin_of(r, d->attributes), out);
    }
}

/* The parameters that say where a workgroup is get another name, and the body begins by giving the old names their
 * values as if the grid were one row: linear = workgroup_id.x + workgroup_id.y * num_workgroups.x. No uniform is
 * needed; workgroups beyond the needed ones must be stopped by the kernel's own guard. */
void wgt_ws_rewrite_fold(wgt_rewrite *r, const ws_decl *entry) {
    char prelude_memory[TEXT_SIZE], added_memory[512], memory[WS_NAME_SIZE];
    wgt_str names[32];
    wgt_out prelude, added;
    size_t i = 0;
    if (entry->count > 32) {
        wgt_ws_rewrite_fail(r, entry->token, "more than 32 parameters");
        return;
    }
    wgt_out_init(&prelude, prelude_memory, sizeof prelude_memory);
    wgt_out_init(&added, added_memory, sizeof added_memory);
    for (const ws_decl *p = entry->members; p != NULL; p = p->next, i++) {
        names[i] = wgt_ws_symbol_text(r->m, p->symbol);
        if (!is_folded(builtin_of(r, p->attributes)) && !has_folded_member(r, p))
            continue;
        wgt_format(memory, sizeof memory, "%.*s_", (int)names[i].size, names[i].data);
        names[i] = wgt_ws_rewrite_name(r, memory);
    }
    raw_inputs in = {find_input(r, entry, names, "workgroup_id", &added),
                     find_input(r, entry, names, "num_workgroups", &added),
                     find_input(r, entry, names, "local_invocation_id", &added)};
    i = 0;
    for (const ws_decl *p = entry->members; p != NULL; p = p->next, i++) {
        if (!wgt_str_equal(names[i], wgt_ws_symbol_text(r->m, p->symbol)))
            put_prelude(r, entry, p, names[i], &in, &prelude);
    }
    if (prelude.truncated || added.truncated) {
        wgt_ws_rewrite_fail(r, entry->token, "its parameters are too long to be folded");
        return;
    }
    const ws_token *open = &r->m->tokens[entry->token + 1], *body = &r->m->tokens[entry->body->begin];
    wgt_ws_rewrite_change(r, open->offset + 1, 0, (wgt_str){added.data, added.size});
    wgt_ws_rewrite_change(r, body->offset + 1, 0, (wgt_str){prelude.data, prelude.size});
    i = 0;
    /* after the insertion, since the first name may stand at the same place */
    for (const ws_decl *p = entry->members; p != NULL; p = p->next, i++) {
        if (!wgt_str_equal(names[i], wgt_ws_symbol_text(r->m, p->symbol)))
            wgt_ws_rewrite_change(r, r->m->tokens[p->token].offset, r->m->tokens[p->token].length, names[i]);
    }
}

/* `subgroups` leaves the directive that begins at token `first`; the whole directive where it stands alone. */
static void drop_subgroups(wgt_rewrite *r, uint32_t first) {
    uint32_t end = first;
    size_t names = 0, found = 0;
    for (; r->m->tokens[end].kind != WS_SEMICOLON; end++) {
        names += r->m->tokens[end].kind == WS_IDENT;
        found += wgt_str_is(wgt_ws_text(r->m, end, end + 1), "subgroups");
    }
    if (names == found) {
        wgt_ws_rewrite_blank(r, first, end + 1);
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        if (!wgt_str_is(wgt_ws_text(r->m, i, i + 1), "subgroups"))
            continue;
        bool comma = r->m->tokens[i + 1].kind == WS_COMMA;
        wgt_ws_rewrite_blank(r, comma ? i : i - 1, comma ? i + 2 : i + 1);
        i += comma;
    }
}

/* Tint wants `enable subgroups;` before subgroup functions; naga up to 29 does not know it. */
void wgt_ws_rewrite_engine(wgt_rewrite *r) {
    bool enabled = (r->m->extensions & WS_X_SUBGROUPS) != 0, uses = false;
    for (size_t i = 0; i < r->m->entry_count; i++)
        uses = uses || r->m->entries[i].subgroup_ops;
    if (r->options->engine == WGT_REWRITE_TINT && uses && !enabled)
        wgt_ws_rewrite_change(r, r->m->tokens[0].offset, 0, WGT_STR("enable subgroups; "));
    for (uint32_t i = 0; r->options->engine == WGT_REWRITE_NAGA && enabled && i < r->m->token_count; i++) {
        if (r->m->tokens[i].kind == WS_ENABLE)
            drop_subgroups(r, i);
    }
}
