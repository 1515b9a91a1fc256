/* Rewriting by edits of the text: the tree says where, the rest stays byte for byte. Additions go to the end, so that
 * every line keeps its number. */
#include "rewriter.h"

void wgt_ws_rewrite_fail(wgt_rewrite *r, uint32_t token, const char *format, ...) {
    if (r->status != WGT_OK)
        return;
    char message[512];
    wgt_out out;
    uint32_t line = 0, column = 0;
    va_list arguments;
    wgt_out_init(&out, message, sizeof message);
    va_start(arguments, format);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    wgt_ws_place(r->m, r->m->tokens[token].offset, &line, &column);
    r->status = wgt_fail(r->error, WGT_BAD_INPUT, "%.*s:%u:%u: %s", (int)r->m->name.size, r->m->name.data, line, column,
                         message);
}

static void no_memory(wgt_rewrite *r) {
    if (r->status == WGT_OK)
        r->status = wgt_fail(r->error, WGT_NO_MEMORY, "%.*s: no memory left to rewrite it", WS_S(r->m->name));
}

wgt_str wgt_ws_rewrite_keep(wgt_rewrite *r, wgt_str text) {
    wgt_str copy = wgt_arena_copy(&r->arena, text);
    if (copy.data == NULL)
        no_memory(r);
    return copy;
}

void wgt_ws_rewrite_change(wgt_rewrite *r, uint32_t offset, uint32_t length, wgt_str text) {
    if (r->status != WGT_OK)
        return;
    if (r->edit_count == WS_MAX_EDITS) {
        r->status = wgt_fail(r->error, WGT_BAD_INPUT, "%.*s: more than %d places to change", WS_S(r->m->name), WS_MAX_EDITS);
        return;
    }
    r->edits[r->edit_count++] = (ws_edit){offset, length, wgt_ws_rewrite_keep(r, text)};
}

void wgt_ws_rewrite_blank(wgt_rewrite *r, uint32_t begin, uint32_t end) {
    char memory[256];
    wgt_out out;
    wgt_str old = wgt_ws_text(r->m, begin, end);
    wgt_out_init(&out, memory, sizeof memory);
    for (size_t i = 0; i < old.size; i++) {
        if (old.data[i] == '\n')
            wgt_put_char(&out, '\n');
    }
    if (out.truncated)
        wgt_ws_rewrite_fail(r, begin, "more lines than can be left blank");
    wgt_ws_rewrite_change(r, r->m->tokens[begin].offset, (uint32_t)old.size, (wgt_str){out.data, out.size});
}

static uint32_t end_of(const ws_token *token) { return token->offset + token->length; }

/* --- names ------------------------------------------------------------------------------------- */

static bool is_taken(const wgt_rewrite *r, wgt_str name) {
    for (uint32_t i = 0; i < r->m->symbol_count; i++) {
        if (r->m->symbols[i].size == name.size && memcmp(r->m->symbols[i].data, name.data, name.size) == 0)
            return true;
    }
    return false;
}

/* Underscores are added where the text knows the name already, as whatever. */
wgt_str wgt_ws_rewrite_name(wgt_rewrite *r, const char *wanted) {
    char memory[WS_NAME_SIZE];
    wgt_str name = {memory, wgt_format(memory, sizeof memory, "%s", wanted)};
    while (is_taken(r, name) && name.size + 1 < sizeof memory) {
        memory[name.size++] = '_';
        memory[name.size] = '\0';
    }
    return wgt_ws_rewrite_keep(r, name);
}

/* --- every expression of the module -------------------------------------------------------------- */

/* `wanted`: what an abstract value inside ends up as. */
typedef void (*visit_expr)(wgt_rewrite *r, const ws_expr *x, const ws_type *wanted);

static const ws_type *concrete_of(const ws_expr *x, const ws_type *wanted) {
    if (x->type == NULL)
        return wanted;
    const ws_type *scalar = wgt_ws_scalar_of(x->type);
    bool known = scalar->kind >= WS_T_BOOL && scalar->kind <= WS_T_F16;
    return known && scalar->kind != WS_T_BOOL ? scalar : wanted;
}

static void walk_expr(wgt_rewrite *r, const ws_expr *x, const ws_type *wanted, visit_expr visit) {
    for (; x != NULL; x = x->next) {
        const ws_type *inner = concrete_of(x, wanted);
        visit(r, x, inner);
        /* An index, an argument and a shift have types of their own, which the checker has set. */
        bool own = x->kind == WS_E_CALL || x->kind == WS_E_INDEX;
        walk_expr(r, x->a, own ? NULL : inner, visit);
        walk_expr(r, x->b, x->kind == WS_E_CALL ? inner : own ? NULL : inner, visit);
        if (x->next != NULL && x->next->type != NULL)
            wanted = NULL;
    }
}

static void walk_decl(wgt_rewrite *r, const ws_decl *d, visit_expr visit);

static void walk_stmt(wgt_rewrite *r, const ws_stmt *s, visit_expr visit) {
    for (; s != NULL; s = s->next) {
        walk_expr(r, s->a, NULL, visit);
        walk_expr(r, s->b, NULL, visit);
        walk_stmt(r, s->init, visit);
        walk_stmt(r, s->body, visit);
        walk_stmt(r, s->other, visit);
        if (s->decl != NULL)
            walk_decl(r, s->decl, visit);
    }
}

/* A workgroup size takes i32 and u32 alike: nothing to visit there. */
static void walk_attributes(wgt_rewrite *r, const ws_attribute *a, visit_expr visit) {
    for (; a != NULL; a = a->next) {
        if (!wgt_str_is(wgt_ws_text(r->m, a->token, a->token + 1), "workgroup_size"))
            walk_expr(r, a->arguments, NULL, visit);
    }
}

static const ws_type *becomes(const wgt_rewrite *r, const ws_decl *d);

static void walk_decl(wgt_rewrite *r, const ws_decl *d, visit_expr visit) {
    walk_attributes(r, d->attributes, visit);
    walk_attributes(r, d->return_attributes, visit);
    walk_expr(r, d->type_expr, NULL, visit);
    walk_expr(r, d->init, becomes(r, d), visit);
    for (const ws_decl *member = d->members; member != NULL; member = member->next)
        walk_decl(r, member, visit);
    walk_stmt(r, d->body, visit);
}

static void walk_module(wgt_rewrite *r, visit_expr visit) {
    for (const ws_decl *d = r->m->decls; d != NULL; d = d->next)
        walk_decl(r, d, visit);
}

/* --- consts become overrides ----------------------------------------------------------------------- */

static bool is_promoted(const wgt_rewrite *r, const ws_decl *d) {
    for (size_t i = 0; i < r->promoted_count; i++) {
        if (r->promoted[i] == d)
            return true;
    }
    return false;
}

static bool is_abstract(const ws_type *t) { return t->kind == WS_T_ABSTRACT_INT || t->kind == WS_T_ABSTRACT_FLOAT; }

/* The type of the override that a const becomes. */
static const ws_type *override_type(const wgt_rewrite *r, const ws_decl *d) {
    if (d->type->kind == WS_T_ABSTRACT_FLOAT)
        return r->m->scalars[WS_T_F32];
    if (d->type->kind == WS_T_ABSTRACT_INT)
        return r->m->scalars[d->value != NULL && wgt_ws_leaf(d->value, 0).i < 0 ? WS_T_I32 : WS_T_U32];
    return d->type;
}

/* What a declaration's abstract value ends up as. */
static const ws_type *becomes(const wgt_rewrite *r, const ws_decl *d) {
    if (d->type == NULL)
        return NULL;
    return is_promoted(r, d) ? override_type(r, d) : is_abstract(d->type) ? NULL : d->type;
}

/* The name where an abstract const was used as another type than the override has now. */
static void convert_use(wgt_rewrite *r, const ws_expr *x, const ws_type *wanted) {
    const ws_decl *d = x->kind == WS_E_IDENT ? x->decl : NULL;
    if (d == NULL || !is_promoted(r, d) || !is_abstract(d->type) || wanted == NULL ||
        wanted == override_type(r, d))
        return;
    char memory[WS_NAME_SIZE];
    const ws_token *token = &r->m->tokens[x->token];
    wgt_str name = wgt_ws_text(r->m, x->token, x->token + 1);
    size_t size = wgt_format(memory, sizeof memory, "%.*s(%.*s)", (int)wanted->name.size, wanted->name.data,
                             (int)name.size, name.data);
    wgt_ws_rewrite_change(r, token->offset, token->length, (wgt_str){memory, size});
}

static void promote(wgt_rewrite *r, const ws_decl *d);

/* Module-scope consts that are worked out from a promoted one cannot stay consts. */
static void promote_dependants(wgt_rewrite *r, const ws_decl *d) {
    for (const ws_decl *other = r->m->decls; other != NULL; other = other->next) {
        if (other->kind != WS_D_CONST)
            continue;
        for (const ws_use *u = other->uses; u != NULL; u = u->next) {
            if (u->decl == d)
                promote(r, other);
        }
    }
}

static void promote(wgt_rewrite *r, const ws_decl *d) {
    if (is_promoted(r, d) || r->status != WGT_OK)
        return;
    wgt_str name = wgt_ws_symbol_text(r->m, d->symbol);
    if (d->type == NULL || !wgt_ws_is_scalar(d->type)) {
        wgt_ws_rewrite_fail(r, d->token, "'%.*s' is no single number or bool, so it cannot be an override", WS_S(name));
        return;
    }
    if (r->made_count == WS_MAX_MADE) {
        wgt_ws_rewrite_fail(r, d->token, "more than %d consts would have to become overrides", WS_MAX_MADE);
        return;
    }
    r->promoted[r->promoted_count++] = d;
    r->made[r->made_count++] = name;
    for (uint32_t t = d->begin; t < d->token; t++) {
        if (r->m->tokens[t].kind == WS_CONST)
            wgt_ws_rewrite_change(r, r->m->tokens[t].offset, r->m->tokens[t].length, WGT_STR("override"));
    }
    if (d->type_expr == NULL) {
        char memory[16];
        wgt_str type = override_type(r, d)->name;
        size_t size = wgt_format(memory, sizeof memory, ": %.*s", (int)type.size, type.data);
        wgt_ws_rewrite_change(r, end_of(&r->m->tokens[d->token]), 0, (wgt_str){memory, size});
    }
    promote_dependants(r, d);
}

/* --- local consts ---------------------------------------------------------------------------------- */

static bool mentions_promoted(const wgt_rewrite *r, const ws_expr *x) {
    for (; x != NULL; x = x->next) {
        if (x->kind == WS_E_IDENT && x->decl != NULL && is_promoted(r, x->decl))
            return true;
        if (mentions_promoted(r, x->a) || mentions_promoted(r, x->b))
            return true;
    }
    return false;
}

/* A const of a function that is worked out from what became an override becomes a let. */
static void loosen_locals(wgt_rewrite *r, const ws_stmt *s) {
    for (; s != NULL && r->status == WGT_OK; s = s->next) {
        const ws_decl *d = s->decl;
        if (d != NULL && d->kind == WS_D_CONST && d->type != NULL && mentions_promoted(r, d->init)) {
            if (r->promoted_count == WS_MAX_PROMOTED) {
                wgt_ws_rewrite_fail(r, d->token, "more than %d consts depend on it", WS_MAX_PROMOTED);
                return;
            }
            r->promoted[r->promoted_count++] = d;
            for (uint32_t t = d->begin; t < d->token; t++) {
                if (r->m->tokens[t].kind == WS_CONST)
                    wgt_ws_rewrite_change(r, r->m->tokens[t].offset, r->m->tokens[t].length, WGT_STR("let"));
            }
        }
        loosen_locals(r, s->init);
        loosen_locals(r, s->body);
        loosen_locals(r, s->other);
    }
}

/* --- literal sizes ----------------------------------------------------------------------------------- */

static const char *const axis_names[] = {"WG_X", "WG_Y", "WG_Z"};

/* All axes must be of one type. A plain number goes with either. */
static bool is_signed_axis(const wgt_rewrite *r, const ws_expr *x) {
    if (x->kind == WS_E_LITERAL)
        return wgt_str_ends(wgt_ws_text(r->m, x->begin, x->end), "i");
    if (x->kind == WS_E_IDENT && x->decl != NULL && x->decl->type != NULL)
        return x->decl->type->kind == WS_T_I32;
    return x->type != NULL && x->type->kind == WS_T_I32;
}

static const char *size_type(const wgt_rewrite *r, const ws_decl *entry) {
    for (unsigned axis = 0; axis < 3; axis++) {
        if (entry->workgroup[axis] != NULL && is_signed_axis(r, entry->workgroup[axis]))
            return "i32";
    }
    return "u32";
}

static void add_override(wgt_rewrite *r, const char *wanted, const char *type, uint64_t value, const ws_expr *x) {
    wgt_str name = wgt_ws_rewrite_name(r, wanted);
    char memory[WS_NAME_SIZE + 64];
    size_t size = wgt_format(memory, sizeof memory, "%.*soverride %.*s: %s = %llu;\n", (int)r->added.size,
                             r->added.size > 0 ? r->added.data : "", (int)name.size, name.data, type,
                             (unsigned long long)value);
    r->added = wgt_ws_rewrite_keep(r, (wgt_str){memory, size});
    r->made[r->made_count++] = name;
    uint32_t begin = r->m->tokens[x->begin].offset, end = end_of(&r->m->tokens[x->end - 1]);
    wgt_ws_rewrite_change(r, begin, end - begin, name);
}

static void promote_consts_in(wgt_rewrite *r, const ws_expr *x) {
    for (; x != NULL; x = x->next) {
        if (x->kind == WS_E_IDENT && x->decl != NULL && x->decl->kind == WS_D_CONST && x->decl->module_scope)
            promote(r, x->decl);
        promote_consts_in(r, x->a);
        promote_consts_in(r, x->b);
    }
}

static void free_axis(wgt_rewrite *r, const ws_decl *entry, unsigned axis) {
    const ws_expr *x = entry->workgroup[axis];
    if (x == NULL || x->value == NULL)
        return;
    int64_t value = wgt_ws_leaf(x->value, 0).i;
    if (value > 1)
        r->sizes[r->size_count++] = (uint64_t)value;
    size_t before = r->made_count;
    promote_consts_in(r, x);
    bool literal = r->made_count == before && x->kind == WS_E_LITERAL;
    if (literal && (axis == 0 || value > 1))
        add_override(r, axis_names[axis], size_type(r, entry), (uint64_t)value, x);
}

static void find_lock(wgt_rewrite *r, const ws_expr *x, const ws_type *wanted) {
    (void)wanted;
    if (x->kind != WS_E_LITERAL || x->value == NULL || !wgt_ws_is_int(x->type))
        return;
    int64_t value = wgt_ws_leaf(x->value, 0).i;
    for (size_t i = 0; i < r->size_count; i++) {
        if (value > 0 && (uint64_t)value == r->sizes[i] && r->lock_count < WS_MAX_LOCKS) {
            wgt_rewrite_lock *lock = &r->locks[r->lock_count++];
            lock->value = r->sizes[i];
            wgt_ws_place(r->m, r->m->tokens[x->token].offset, &lock->line, &lock->column);
            return;
        }
    }
}

/* In what the entry's workgroup does: bodies, and the lengths of workgroup arrays. A const that is tuned is changed
 * everywhere alike, so its own number is no lock. */
static void find_locks(wgt_rewrite *r) {
    uint64_t product = 1;
    for (size_t i = 0; i < r->size_count; i++)
        product *= r->sizes[i];
    if (r->size_count > 1)
        r->sizes[r->size_count++] = product;
    for (const ws_decl *d = r->m->decls; d != NULL; d = d->next) {
        if (d->kind == WS_D_FN)
            walk_stmt(r, d->body, find_lock);
        else if (d->kind == WS_D_VAR && d->space == WS_S_WORKGROUP)
            walk_expr(r, d->type_expr, NULL, find_lock);
        else if (d->kind == WS_D_CONST && !is_promoted(r, d))
            walk_expr(r, d->init, NULL, find_lock);
    }
}

/* --- the text ---------------------------------------------------------------------------------------- */

static void sort_edits(wgt_rewrite *r) {
    for (size_t i = 1; i < r->edit_count; i++) {
        ws_edit moving = r->edits[i];
        size_t j = i;
        for (; j > 0 && r->edits[j - 1].offset > moving.offset; j--)
            r->edits[j] = r->edits[j - 1];
        r->edits[j] = moving;
    }
}

static void apply(wgt_rewrite *r) {
    wgt_str old = r->m->text;
    size_t size = old.size + r->added.size + 2;
    for (size_t i = 0; i < r->edit_count; i++)
        size += r->edits[i].text.size;
    char *memory = wgt_arena_push(&r->arena, size + 1, 1);
    if (memory == NULL) {
        no_memory(r);
        return;
    }
    wgt_out out;
    wgt_out_init(&out, memory, size + 1);
    sort_edits(r);
    size_t at = 0;
    for (size_t i = 0; i < r->edit_count; i++) {
        wgt_put(&out, (wgt_str){old.data + at, r->edits[i].offset - at});
        wgt_put(&out, r->edits[i].text);
        at = r->edits[i].offset + r->edits[i].length;
    }
    wgt_put(&out, (wgt_str){old.data + at, old.size - at});
    if (r->added.size > 0 && old.size > 0 && old.data[old.size - 1] != '\n')
        wgt_put_char(&out, '\n');
    wgt_put(&out, r->added);
    r->text = (wgt_str){out.data, out.size};
}

/* What was made must be WGSL still: a const in an array of a function, in a case or in a const_assert cannot become an
 * override, and the front end knows where. */
static void read_again(wgt_rewrite *r) {
    const wgt_wgsl_options options = {r->allocator, 0};
    wgt_wgsl *again = NULL;
    wgt_error why = {{0}};
    wgt_status status = wgt_wgsl_create(&options, r->m->name, r->text, &again, &why);
    wgt_wgsl_destroy(&again);
    if (status == WGT_NO_MEMORY)
        no_memory(r);
    else if (status != WGT_OK)
        r->status = wgt_fail(r->error, WGT_BAD_INPUT, "%s (once the workgroup size may vary)", why.message);
}

static void rewrite_for(wgt_rewrite *r, const ws_decl *entry, bool sized) {
    for (unsigned axis = 0; axis < 3 && r->options->free_size && !sized; axis++)
        free_axis(r, entry, axis);
    for (size_t i = 0; i < r->options->promote_count; i++) {
        const ws_decl *found = NULL;
        for (const ws_decl *d = r->m->decls; d != NULL; d = d->next) {
            if (d->kind == WS_D_CONST && wgt_str_equal(wgt_ws_symbol_text(r->m, d->symbol), r->options->promote[i]))
                found = d;
        }
        if (found != NULL)
            promote(r, found);
        else if (r->status == WGT_OK)
            r->status = wgt_fail(r->error, WGT_BAD_INPUT, "%.*s: there is no const '%.*s' to promote", WS_S(r->m->name),
                                 WS_S(r->options->promote[i]));
    }
    if (r->promoted_count == 0)
        return;
    for (const ws_decl *d = r->m->decls; d != NULL; d = d->next) {
        if (d->kind == WS_D_FN)
            loosen_locals(r, d->body);
    }
    walk_module(r, convert_use);
}

static void check_locks(wgt_rewrite *r) {
    find_locks(r);
    if (r->lock_count == 0 || r->options->assume_free || r->status != WGT_OK)
        return;
    r->text = r->m->text;
    r->status = wgt_fail(r->error, WGT_NEGATIVE,
                         "%.*s:%u:%u: %llu is the workgroup size too: the kernel may rely on it; make it one named "
                         "const, or say \"assume_free\"",
                         (int)r->m->name.size, r->m->name.data, r->locks[0].line, r->locks[0].column,
                         (unsigned long long)r->locks[0].value);
}

wgt_status wgt_rewrite_create(const wgt_wgsl *module, const wgt_wgsl_entry *entry, const wgt_rewrite_options *options,
                              wgt_rewrite **rewrite, wgt_error *error) {
    *rewrite = NULL;
    if (module == NULL || entry == NULL || options->allocator == NULL || module->error_count > 0)
        return wgt_fail(error, WGT_USAGE, "rewriting needs a module without errors, an entry and an allocator");
    if (options->fold && (options->count || options->free_size))
        return wgt_fail(error, WGT_USAGE, "a rewrite folds, or it counts or frees the size: take two");
    wgt_rewrite *r = options->allocator->resize(options->allocator->user, NULL, 0, sizeof *r);
    if (r == NULL)
        return wgt_fail(error, WGT_NO_MEMORY, "%.*s: no memory left to rewrite it", WS_S(module->name));
    memset(r, 0, sizeof *r);
    r->allocator = options->allocator;
    r->m = module;
    r->options = options;
    r->error = error;
    r->counter_group = r->counter_binding = UINT32_MAX;
    wgt_arena_init(&r->arena, r->allocator);
    rewrite_for(r, module->entry_decls[entry - module->entries], entry->size_overrides.count > 0);
    if (options->fold && r->status == WGT_OK)
        wgt_ws_rewrite_fold(r, module->entry_decls[entry - module->entries]);
    if (r->status == WGT_OK)
        wgt_ws_rewrite_engine(r);
    if (options->count && r->status == WGT_OK)
        wgt_ws_rewrite_count(r, module->entry_decls[entry - module->entries]);
    if (r->status == WGT_OK)
        apply(r);
    if (r->status == WGT_OK && r->edit_count > 0)
        read_again(r);
    if (r->status == WGT_OK && options->free_size)
        check_locks(r);
    wgt_status status = r->status;
    r->options = NULL;
    r->error = NULL;
    r->m = NULL;
    *rewrite = r;
    if (status != WGT_OK && status != WGT_NEGATIVE)
        wgt_rewrite_destroy(rewrite);
    return status;
}

void wgt_rewrite_destroy(wgt_rewrite **rewrite) {
    wgt_rewrite *r = *rewrite;
    *rewrite = NULL;
    if (r == NULL)
        return;
    const wgt_allocator *allocator = r->allocator;
    wgt_arena_release(&r->arena);
    allocator->resize(allocator->user, r, sizeof *r, 0);
}

wgt_str wgt_rewrite_text(const wgt_rewrite *r) { return r->text; }

size_t wgt_rewrite_made(const wgt_rewrite *r, const wgt_str **names) {
    *names = r->made;
    return r->made_count;
}

size_t wgt_rewrite_locks(const wgt_rewrite *r, const wgt_rewrite_lock **locks) {
    *locks = r->locks;
    return r->lock_count;
}

bool wgt_rewrite_counter(const wgt_rewrite *r, uint32_t *group, uint32_t *binding) {
    *group = r->counter_group;
    *binding = r->counter_binding;
    return r->counter_group != UINT32_MAX;
}
