/* What the module says to the outside: overrides, bindings, and what each entry point reaches. */
#include "internal.h"

static bool is_resource(const ws_decl *d) {
    return d->kind == WS_D_VAR &&
           (d->space == WS_S_STORAGE || d->space == WS_S_UNIFORM || d->space == WS_S_HANDLE);
}

static void place(const wgt_wgsl *m, const ws_decl *d, uint32_t *line, uint32_t *column) {
    wgt_ws_place(m, m->tokens[d->token].offset, line, column);
}

/* --- overrides --------------------------------------------------------------------------------- */

static bool list_overrides(wgt_wgsl *m, size_t count) {
    m->overrides = wgt_ws_alloc(m, count, sizeof *m->overrides);
    m->override_decls = wgt_ws_alloc(m, count, sizeof *m->override_decls);
    for (ws_decl *d = m->decls; !m->no_memory && d != NULL; d = d->next) {
        if (d->kind != WS_D_OVERRIDE || d->type == NULL)
            continue;
        d->index = (uint32_t)m->override_count;
        wgt_wgsl_override *o = &m->overrides[m->override_count];
        m->override_decls[m->override_count++] = d;
        o->name = wgt_ws_symbol_text(m, d->symbol);
        o->id = d->id;
        o->type = d->type->name;
        o->has_default = d->init != NULL;
        o->default_value = wgt_nan();
        if (d->init != NULL)
            o->default_expr = wgt_ws_text(m, d->init->begin, d->init->end);
        place(m, d, &o->line, &o->column);
    }
    wgt_ws_default_values(m);
    return !m->no_memory;
}

/* --- bindings ---------------------------------------------------------------------------------- */

static bool list_members(wgt_wgsl *m, wgt_wgsl_binding *b, const ws_type *t) {
    wgt_wgsl_member *members = wgt_ws_alloc(m, t->decl->count, sizeof *members);
    size_t i = 0;
    for (const ws_decl *d = t->decl->members; members != NULL && d != NULL; d = d->next, i++)
        members[i] = (wgt_wgsl_member){.name = wgt_ws_symbol_text(m, d->symbol),
                                       .type = d->type->name,
                                       .offset = d->offset,
                                       .size = d->size,
                                       .stride = d->type->kind == WS_T_ARRAY ? d->type->stride : 0};
    b->members = members;
    b->member_count = t->decl->count;
    return members != NULL;
}

static void describe_binding(wgt_wgsl *m, wgt_wgsl_binding *b, const ws_decl *d) {
    const ws_type *t = d->type;
    b->name = wgt_ws_symbol_text(m, d->symbol);
    b->group = d->group;
    b->binding = d->binding;
    b->space = d->space == WS_S_STORAGE   ? WGT_SPACE_STORAGE
               : d->space == WS_S_UNIFORM ? WGT_SPACE_UNIFORM
                                          : WGT_SPACE_HANDLE;
    b->kind = d->space == WS_S_UNIFORM             ? WGT_BIND_UNIFORM
              : (d->access & WS_A_WRITE) != 0      ? WGT_BIND_STORAGE_READ_WRITE
                                                   : WGT_BIND_STORAGE_READ;
    if (d->space == WS_S_STORAGE)
        b->access = wgt_str_from(wgt_ws_access_name(d->access));
    else if (t->kind == WS_T_TEXTURE_STORAGE)
        b->access = wgt_str_from(wgt_ws_access_name(t->access));
    b->type = t->name;
    b->element = t->kind == WS_T_ARRAY ? t->element->name : t->name;
    b->stride = t->kind == WS_T_ARRAY ? t->stride : 0;
    b->size = d->space == WS_S_HANDLE ? 0 : t->size;
    b->runtime_sized = (t->flags & WS_F_RUNTIME) != 0;
    b->atomic = (t->flags & WS_F_ATOMIC) != 0;
    place(m, d, &b->line, &b->column);
    const ws_type *inner = t->kind == WS_T_ARRAY ? t->element : t;
    if (inner->kind == WS_T_STRUCT)
        list_members(m, b, inner);
}

static bool list_bindings(wgt_wgsl *m, size_t count) {
    m->bindings = wgt_ws_alloc(m, count, sizeof *m->bindings);
    m->binding_decls = wgt_ws_alloc(m, count, sizeof *m->binding_decls);
    for (ws_decl *d = m->decls; !m->no_memory && d != NULL; d = d->next) {
        if (!is_resource(d) || d->type == NULL)
            continue;
        d->index = (uint32_t)m->binding_count;
        m->binding_decls[m->binding_count] = d;
        describe_binding(m, &m->bindings[m->binding_count++], d);
    }
    return !m->no_memory;
}

/* --- what an entry point reaches --------------------------------------------------------------- */

typedef struct walk {
    wgt_wgsl *m;
    ws_decl **stack;
    size_t count, capacity;
    ws_decl **reached; /* all of them, of the walk through bodies */
    size_t reached_count, reached_capacity;
    ws_decl **roots; /* what array lengths need: workgroup variables, and uses in types */
    size_t root_count, root_capacity;
    const void *mark;
    struct found {
        uint32_t *items;
        size_t count, capacity;
    } size, arrays, body; /* indices of overrides */
    uint8_t *flags; /* one an override, all 0 between uses */
} walk;

static bool add_override(walk *w, struct found *to, const ws_decl *d) {
    if (d->kind != WS_D_OVERRIDE || d->type == NULL)
        return true;
    if (!WS_GROW(w->m, to->items, to->count, to->capacity))
        return false;
    to->items[to->count++] = d->index;
    return true;
}

static bool visit(walk *w, ws_decl *d) {
    if (d->seen == w->mark)
        return true;
    d->seen = w->mark;
    if (!WS_GROW(w->m, w->stack, w->count, w->capacity))
        return false;
    w->stack[w->count++] = d;
    return true;
}

static bool add_root(walk *w, ws_decl *d) {
    if (!WS_GROW(w->m, w->roots, w->root_count, w->root_capacity))
        return false;
    w->roots[w->root_count++] = d;
    return true;
}

/* Every override that the declarations on the stack need in the end. */
static bool close_overrides(walk *w, struct found *to) {
    while (w->count > 0) {
        ws_decl *d = w->stack[--w->count];
        if (!add_override(w, to, d))
            return false;
        for (ws_use *u = d->uses; u != NULL; u = u->next) {
            if (!visit(w, u->decl))
                return false;
        }
    }
    return true;
}

static bool walk_bodies(walk *w, ws_decl *entry) {
    w->mark = &entry->uses;
    w->count = w->reached_count = w->root_count = 0;
    if (!visit(w, entry))
        return false;
    while (w->count > 0) {
        ws_decl *d = w->stack[--w->count];
        if (!WS_GROW(w->m, w->reached, w->reached_count, w->reached_capacity))
            return false;
        w->reached[w->reached_count++] = d;
        if (!add_override(w, &w->body, d))
            return false;
        if (d->kind == WS_D_VAR && d->space == WS_S_WORKGROUP) {
            if (!add_root(w, d))
                return false;
            continue;
        }
        for (ws_use *u = d->uses; u != NULL; u = u->next) {
            if (!(u->in_type ? add_root(w, u->decl) : visit(w, u->decl)))
                return false;
        }
    }
    return true;
}

static bool walk_sizes(walk *w, ws_decl *entry) {
    w->mark = &entry->size_uses;
    for (ws_use *u = entry->size_uses; u != NULL; u = u->next) {
        if (!visit(w, u->decl))
            return false;
    }
    if (!close_overrides(w, &w->size))
        return false;
    w->mark = &entry->members;
    for (size_t i = 0; i < w->root_count; i++) {
        if (!visit(w, w->roots[i]))
            return false;
    }
    return close_overrides(w, &w->arrays);
}

static void sort_indices(uint32_t *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t moving = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1] > moving; j--)
            items[j] = items[j - 1];
        items[j] = moving;
    }
}

/* The union of up to three sets, in order. */
static wgt_wgsl_list to_list(walk *w, const struct found *const *sets, size_t set_count, bool no_default) {
    size_t most = 0, count = 0;
    for (size_t k = 0; k < set_count; k++)
        most += sets[k]->count;
    uint32_t *items = wgt_ws_alloc(w->m, most, sizeof *items);
    for (size_t k = 0; items != NULL && k < set_count; k++) {
        for (size_t i = 0; i < sets[k]->count; i++) {
            uint32_t o = sets[k]->items[i];
            if (!w->flags[o] && !(no_default && w->m->overrides[o].has_default))
                items[count++] = o;
            w->flags[o] = 1;
        }
    }
    for (size_t k = 0; k < set_count; k++) {
        for (size_t i = 0; i < sets[k]->count; i++)
            w->flags[sets[k]->items[i]] = 0;
    }
    sort_indices(items, count);
    return (wgt_wgsl_list){items, count};
}

static bool by_place(const ws_decl *a, const ws_decl *b) { return a->begin < b->begin; }

static void sort_decls(ws_decl **list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        ws_decl *moving = list[i];
        size_t j = i;
        for (; j > 0 && by_place(moving, list[j - 1]); j--)
            list[j] = list[j - 1];
        list[j] = moving;
    }
}

static void check_collisions(wgt_wgsl *m, const ws_decl *entry, const wgt_wgsl_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const ws_decl *a = m->binding_decls[list->items[i]], *b = m->binding_decls[list->items[j]];
            if (a->group == b->group && a->binding == b->binding)
                wgt_ws_error(m, "binding", a->token,
                             "'%.*s' and '%.*s' share @group(%u) @binding(%u), and '%.*s' reaches both",
                             WS_S(wgt_ws_symbol_text(m, b->symbol)), WS_S(wgt_ws_symbol_text(m, a->symbol)),
                             a->group, a->binding, WS_S(wgt_ws_symbol_text(m, entry->symbol)));
        }
    }
}

static bool list_reached(walk *w, wgt_wgsl_entry *e, ws_decl ***workgroup) {
    wgt_wgsl *m = w->m;
    size_t bindings = 0, variables = 0;
    for (size_t i = 0; i < w->reached_count; i++) {
        const ws_decl *d = w->reached[i];
        bindings += is_resource(d) && d->type != NULL;
        variables += d->kind == WS_D_VAR && d->space == WS_S_WORKGROUP && d->type != NULL;
        e->atomics = e->atomics || (d->flags & WS_U_ATOMICS) != 0;
        e->workgroup_barrier = e->workgroup_barrier || (d->flags & WS_U_WORKGROUP_BARRIER) != 0;
        e->storage_barrier = e->storage_barrier || (d->flags & WS_U_STORAGE_BARRIER) != 0;
        e->subgroup_ops = e->subgroup_ops || (d->flags & WS_U_SUBGROUP) != 0;
    }
    uint32_t *items = wgt_ws_alloc(m, bindings, sizeof *items);
    ws_decl **list = wgt_ws_alloc(m, variables + 1, sizeof(ws_decl *));
    if (items == NULL || list == NULL)
        return false;
    bindings = variables = 0;
    for (size_t i = 0; i < w->reached_count; i++) {
        ws_decl *d = w->reached[i];
        if (is_resource(d) && d->type != NULL)
            items[bindings++] = d->index;
        if (d->kind == WS_D_VAR && d->space == WS_S_WORKGROUP && d->type != NULL)
            list[variables++] = d;
    }
    sort_indices(items, bindings);
    sort_decls(list, variables);
    e->bindings = (wgt_wgsl_list){items, bindings};
    *workgroup = list;
    return true;
}

static void describe_entry(wgt_wgsl *m, walk *w, wgt_wgsl_entry *e, ws_decl *d) {
    static const char *const stages[] = {"", "vertex", "fragment", "compute"};
    e->name = wgt_ws_symbol_text(m, d->symbol);
    e->stage = wgt_str_from(stages[d->stage_of]);
    for (unsigned axis = 0; axis < 3 && d->stage_of == 3; axis++)
        e->workgroup_size[axis] =
            d->workgroup[axis] == NULL ? WGT_STR("1")
                                       : wgt_ws_text(m, d->workgroup[axis]->begin, d->workgroup[axis]->end);
    e->num_workgroups = (d->builtins & WS_B_NUM_WORKGROUPS) != 0;
    e->workgroup_id = (d->builtins & WS_B_WORKGROUP_ID) != 0;
    place(m, d, &e->line, &e->column);
    w->size.count = w->arrays.count = w->body.count = 0;
    if (!walk_bodies(w, d) || !walk_sizes(w, d) ||
        !list_reached(w, e, &m->entry_workgroup[e - m->entries]))
        return;
    wgt_ws_check_entry_graph(m, d, w->reached, w->reached_count);
    check_collisions(m, d, &e->bindings);
    const struct found *sets[] = {&w->size, &w->arrays, &w->body};
    e->size_overrides = to_list(w, sets, 1, false);
    e->sizing_overrides = to_list(w, sets, 2, false);
    e->body_overrides = to_list(w, sets + 2, 1, false);
    e->needs_values = to_list(w, sets, 3, true);
}

static bool list_entries(wgt_wgsl *m, size_t count) {
    m->entries = wgt_ws_alloc(m, count, sizeof *m->entries);
    m->entry_decls = wgt_ws_alloc(m, count, sizeof *m->entry_decls);
    m->entry_workgroup = wgt_ws_alloc(m, count, sizeof *m->entry_workgroup);
    walk w = {.m = m, .flags = wgt_ws_alloc(m, m->override_count, 1)};
    if (m->no_memory)
        return false;
    for (ws_decl *d = m->decls; d != NULL && !m->no_memory; d = d->next) {
        if (d->kind != WS_D_FN || d->stage_of == 0)
            continue;
        m->entry_decls[m->entry_count] = d;
        describe_entry(m, &w, &m->entries[m->entry_count++], d);
    }
    return !m->no_memory;
}

void wgt_ws_reflect(wgt_wgsl *m) {
    size_t overrides = 0, bindings = 0, entries = 0;
    for (const ws_decl *d = m->decls; d != NULL; d = d->next) {
        overrides += d->kind == WS_D_OVERRIDE;
        bindings += is_resource(d);
        entries += d->kind == WS_D_FN && d->stage_of != 0;
    }
    if (list_overrides(m, overrides) && list_bindings(m, bindings))
        list_entries(m, entries);
}
