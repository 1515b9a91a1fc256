/* Counting resident workgroups: the entry point becomes a function, and a new entry point of its name calls it between
 * two counters, so that early returns and barriers inside need no care. */
#include "rewriter.h"

#define TEXT_SIZE 8192

static bool is_attribute(const wgt_rewrite *r, const ws_attribute *a, const char *name) {
    return wgt_str_is(wgt_ws_text(r->m, a->token, a->token + 1), name);
}

static bool is_local_index(const wgt_rewrite *r, const ws_attribute *attributes) {
    for (const ws_attribute *a = attributes; a != NULL; a = a->next) {
        if (is_attribute(r, a, "builtin") && a->arguments != NULL &&
            wgt_str_is(wgt_ws_text(r->m, a->arguments->begin, a->arguments->end), "local_invocation_index"))
            return true;
    }
    return false;
}

/* How the new entry reads the invocation's index in its workgroup: a parameter may have it, alone or in a struct. */
static bool find_index(const wgt_rewrite *r, const ws_decl *entry, wgt_out *out) {
    for (const ws_decl *p = entry->members; p != NULL; p = p->next) {
        wgt_str name = wgt_ws_symbol_text(r->m, p->symbol);
        if (is_local_index(r, p->attributes)) {
            wgt_put(out, name);
            return true;
        }
        if (p->type == NULL || p->type->kind != WS_T_STRUCT)
            continue;
        for (const ws_decl *member = p->type->decl->members; member != NULL; member = member->next) {
            wgt_str inner = wgt_ws_symbol_text(r->m, member->symbol);
            if (is_local_index(r, member->attributes)) {
                wgt_putf(out, "%.*s.%.*s", (int)name.size, name.data, (int)inner.size, inner.data);
                return true;
            }
        }
    }
    return false;
}

/* A place beside the entry's own bindings, in the last group that it uses. */
static void choose_binding(wgt_rewrite *r) {
    uint32_t group = 0, binding = 0;
    for (size_t i = 0; i < r->m->binding_count; i++)
        group = r->m->bindings[i].group > group ? r->m->bindings[i].group : group;
    for (size_t i = 0; i < r->m->binding_count; i++) {
        const wgt_wgsl_binding *b = &r->m->bindings[i];
        if (b->group == group && b->binding >= binding)
            binding = b->binding + 1;
    }
    r->counter_group = group;
    r->counter_binding = binding;
}

static void put_parameters(const wgt_rewrite *r, const ws_decl *entry, wgt_out *out) {
    for (const ws_decl *p = entry->members; p != NULL; p = p->next) {
        uint32_t begin = p->attributes != NULL ? p->attributes->begin : p->begin;
        wgt_str text = wgt_ws_text(r->m, begin, p->end);
        wgt_put(out, text);
        wgt_put(out, WGT_STR(", "));
    }
}

static void put_arguments(const wgt_rewrite *r, const ws_decl *entry, wgt_out *out) {
    for (const ws_decl *p = entry->members; p != NULL; p = p->next) {
        wgt_put(out, p == entry->members ? WGT_STR("") : WGT_STR(", "));
        wgt_put(out, wgt_ws_symbol_text(r->m, p->symbol));
    }
}

/* The old entry loses what makes it one. */
static void demote(wgt_rewrite *r, const ws_decl *entry, wgt_str name) {
    for (const ws_attribute *a = entry->attributes; a != NULL; a = a->next) {
        if (is_attribute(r, a, "compute") || is_attribute(r, a, "workgroup_size"))
            wgt_ws_rewrite_blank(r, a->begin, a->end);
    }
    for (const ws_decl *p = entry->members; p != NULL; p = p->next) {
        for (const ws_attribute *a = p->attributes; a != NULL; a = a->next) {
            if (is_attribute(r, a, "builtin"))
                wgt_ws_rewrite_blank(r, a->begin, a->end);
        }
    }
    const ws_token *token = &r->m->tokens[entry->token];
    wgt_ws_rewrite_change(r, token->offset, token->length, name);
}

void wgt_ws_rewrite_count(wgt_rewrite *r, const ws_decl *entry) {
    char memory[TEXT_SIZE], index_memory[256];
    wgt_out out, index;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_out_init(&index, index_memory, sizeof index_memory);
    wgt_str counters = wgt_ws_rewrite_name(r, "wgt_resident"), body = wgt_ws_rewrite_name(r, "wgt_body");
    wgt_str own = wgt_ws_rewrite_name(r, "wgt_index"), count = wgt_ws_rewrite_name(r, "wgt_count");
    bool has_index = find_index(r, entry, &index);
    choose_binding(r);
    wgt_putf(&out, "@group(%u) @binding(%u) var<storage, read_write> %s: array<atomic<u32>, 4>;\n@compute @workgroup_size(",
             r->counter_group, r->counter_binding, counters.data);
    for (unsigned axis = 0; axis < 3 && entry->workgroup[axis] != NULL; axis++) {
        const ws_expr *x = entry->workgroup[axis];
        wgt_put(&out, axis == 0 ? WGT_STR("") : WGT_STR(", "));
        wgt_put(&out, wgt_ws_text(r->m, x->begin, x->end));
    }
    wgt_str name = wgt_ws_symbol_text(r->m, entry->symbol);
    wgt_putf(&out, ") fn %.*s(", (int)name.size, name.data);
    put_parameters(r, entry, &out);
    if (!has_index) {
        wgt_putf(&out, "@builtin(local_invocation_index) %s: u32", own.data);
        wgt_put(&index, own);
    }
    wgt_putf(&out, ") {\n  if (%s == 0u) {\n    let %s = atomicAdd(&%s[0], 1u) + 1u;\n    atomicMax(&%s[1], %s);\n"
                   "    atomicAdd(&%s[2], 1u);\n  }\n  workgroupBarrier();\n  %s(",
             index.data, count.data, counters.data, counters.data, count.data, counters.data, body.data);
    put_arguments(r, entry, &out);
    wgt_putf(&out, ");\n  workgroupBarrier();\n  if (%s == 0u) {\n    atomicSub(&%s[0], 1u);\n  }\n}\n", index.data,
             counters.data);
    if (out.truncated || index.truncated) {
        wgt_ws_rewrite_fail(r, entry->token, "its parameters are too long to be repeated");
        return;
    }
    demote(r, entry, body);
    r->added = wgt_ws_rewrite_keep(r, (wgt_str){out.data, out.size});
}
