/* Statements: scopes, types, and the behaviours (what a statement may end with) that tell missing returns
 * and loops without an exit. Source: WGSL, "Statement behavior analysis". */
#include "internal.h"
#include "functions.h"

enum { NEXT = 1, BREAK = 2, CONTINUE = 4, RETURN = 8 };

static unsigned check_statement(ws_checker *c, ws_stmt *s);

static bool declare(ws_checker *c, ws_decl *d) {
    ws_symbol *s = &c->m->symbols[d->symbol];
    if (s->local != NULL && s->local->scope == c->scope)
        return wgt_ws_error(c->m, "redeclared", d->token, "'%.*s' is declared twice in this scope",
                            WS_S(wgt_ws_symbol_text(c->m, d->symbol)));
    d->hidden = s->local;
    d->scope = c->scope;
    d->shadow_next = c->scope_decls;
    c->scope_decls = d;
    s->local = d;
    return true;
}

static ws_decl *open_scope(ws_checker *c) {
    ws_decl *outer = c->scope_decls;
    c->scope_decls = NULL;
    c->scope++;
    return outer;
}

static void close_scope(ws_checker *c, ws_decl *outer) {
    for (ws_decl *d = c->scope_decls; d != NULL; d = d->shadow_next)
        c->m->symbols[d->symbol].local = d->hidden;
    c->scope_decls = outer;
    c->scope--;
}

static unsigned check_sequence(ws_checker *c, ws_stmt *first) {
    unsigned behaviour = NEXT;
    for (ws_stmt *s = first; s != NULL && !c->m->no_memory; s = s->next) {
        unsigned b = check_statement(c, s);
        if ((behaviour & NEXT) != 0)
            behaviour = (behaviour & ~(unsigned)NEXT) | b;
    }
    return behaviour;
}

static unsigned check_block(ws_checker *c, ws_stmt *block) {
    ws_decl *outer = open_scope(c);
    unsigned behaviour = check_sequence(c, block->body);
    close_scope(c, outer);
    return behaviour;
}

static bool condition(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_value(c, x))
        return false;
    return x->type->kind == WS_T_BOOL ||
           wgt_ws_error(c->m, "type", x->token, "a condition is a bool, not a %.*s", WS_S(x->type->name));
}

static bool storable_local(ws_checker *c, const ws_decl *d) {
    const ws_type *t = d->type;
    if (d->kind == WS_D_LET)
        return t->kind != WS_T_VOID;
    if ((t->flags & WS_F_CONSTRUCTIBLE) == 0 || (t->flags & (WS_F_RUNTIME | WS_F_OVERRIDE | WS_F_ATOMIC)) != 0)
        return wgt_ws_error(c->m, "type", d->token, "a %.*s cannot be kept in a function's variable",
                            WS_S(t->name));
    return true;
}

static bool local_space(ws_checker *c, ws_decl *d) {
    d->space = WS_S_FUNCTION;
    d->access = WS_A_READ_WRITE;
    if (d->templates == NULL)
        return true;
    wgt_str text = wgt_ws_text(c->m, d->templates->begin, d->templates->end);
    return (wgt_str_is(text, "function") && d->templates->next == NULL) ||
           wgt_ws_error(c->m, "space", d->templates->token, "a variable in a function is in 'function'");
}

static bool check_local(ws_checker *c, ws_decl *d) {
    const ws_type *t = NULL;
    bool ok = true;
    if (d->kind == WS_D_OVERRIDE)
        ok = wgt_ws_error(c->m, "syntax", d->token, "overrides are declared outside functions");
    if (d->type_expr != NULL) {
        t = wgt_ws_check_type(c, d->type_expr);
        ok = ok && t != NULL;
    }
    if (d->init != NULL) {
        if (!wgt_ws_check_value(c, d->init))
            ok = false;
        else if (t != NULL && !wgt_ws_coerce(c, d->init, t))
            ok = wgt_ws_error(c->m, "type", d->init->token, "'%.*s' is a %.*s, not a %.*s",
                              WS_S(wgt_ws_symbol_text(c->m, d->symbol)), WS_S(t->name),
                              WS_S(d->init->type->name));
        else if (d->type_expr == NULL && d->kind != WS_D_CONST)
            ok = wgt_ws_concretize(c, d->init) && ok;
        if (ok && d->type_expr == NULL)
            t = d->init->type;
        if (ok && d->kind == WS_D_CONST && d->init->stage != WS_CONSTANT)
            ok = wgt_ws_error(c->m, "constant", d->init->token, "a const needs a value that is known ahead");
    } else if (d->type_expr == NULL) {
        ok = wgt_ws_error(c->m, "type", d->token, "a variable needs a type or a value");
    }
    if (d->kind == WS_D_VAR)
        ok = local_space(c, d) && ok;
    d->type = t;
    d->value = d->init != NULL && d->kind == WS_D_CONST ? d->init->value : NULL;
    if (ok && t != NULL && !storable_local(c, d))
        ok = false;
    if (!ok && d->type_expr == NULL)
        d->type = NULL;
    declare(c, d);
    return ok;
}

/* The left side of an assignment: memory that may be written. */
static bool check_target(ws_checker *c, ws_expr *x) {
    if (!wgt_ws_check_expr(c, x))
        return false;
    if (!x->reference) {
        if (x->kind == WS_E_MEMBER && x->lane == 0 && x->type->kind == WS_T_VECTOR)
            return wgt_ws_error(c->m, "type", x->token, "several components cannot be assigned at once");
        return wgt_ws_error(c->m, "type", x->token, x->kind == WS_E_IDENT
                                                        ? "this is no variable: it cannot be assigned"
                                                        : "this is no variable that can be assigned");
    }
    if ((x->access & WS_A_WRITE) == 0)
        return wgt_ws_error(c->m, "access", x->token, "this memory is read-only");
    if ((x->type->flags & WS_F_ATOMIC) != 0)
        return wgt_ws_error(c->m, "type", x->token, "atomics are written with atomicStore");
    if ((x->type->flags & (WS_F_CONSTRUCTIBLE | WS_F_RUNTIME | WS_F_OVERRIDE)) != WS_F_CONSTRUCTIBLE)
        return wgt_ws_error(c->m, "type", x->token, "a %.*s cannot be assigned as a whole", WS_S(x->type->name));
    return true;
}

static bool check_assign(ws_checker *c, ws_stmt *s) {
    bool left = check_target(c, s->a), right = wgt_ws_check_value(c, s->b);
    if (!left || !right)
        return false;
    const ws_type *result = s->b->type;
    if (s->op != WS_EQUAL) {
        ws_expr target = *s->a;
        target.reference = false;
        target.value = NULL;
        target.stage = WS_RUNTIME;
        ws_expr binary = {.kind = WS_E_BINARY, .op = s->op, .token = s->token, .a = &target, .b = s->b};
        if (!wgt_ws_check_expr(c, &binary))
            return false;
        result = binary.type;
        return result == s->a->type ||
               wgt_ws_error(c->m, "type", s->token, "a %.*s cannot be assigned to a %.*s", WS_S(result->name),
                            WS_S(s->a->type->name));
    }
    return wgt_ws_coerce(c, s->b, s->a->type) ||
           wgt_ws_error(c->m, "type", s->b->token, "a %.*s cannot be assigned to a %.*s", WS_S(result->name),
                        WS_S(s->a->type->name));
}

static bool check_step(ws_checker *c, ws_stmt *s) {
    if (!check_target(c, s->a))
        return false;
    return s->a->type->kind == WS_T_I32 || s->a->type->kind == WS_T_U32 ||
           wgt_ws_error(c->m, "type", s->token, "'++' and '--' take an i32 or u32, not a %.*s",
                        WS_S(s->a->type->name));
}

static bool check_call_statement(ws_checker *c, ws_stmt *s) {
    ws_expr *x = s->a;
    if (!wgt_ws_check_expr(c, x))
        return false;
    bool user = x->a->decl != NULL && x->a->decl->kind == WS_D_FN;
    bool builtin = x->named != NULL && x->named->kind == WS_N_FUNCTION;
    if (!user && !builtin)
        return wgt_ws_error(c->m, "type", x->token, "a value is made here and not used");
    if (user ? x->a->decl->must_use : (x->named->flags & WS_NF_MUST_USE) != 0)
        return wgt_ws_error(c->m, "unused", x->token, "the result of '%.*s' must be used",
                            WS_S(wgt_ws_symbol_text(c->m, x->a->symbol)));
    return true;
}

static bool check_return(ws_checker *c, ws_stmt *s) {
    const ws_type *t = c->function->type;
    if (c->continuing > 0)
        return wgt_ws_error(c->m, "flow", s->token, "'return' is not allowed in a continuing block");
    if (s->a == NULL)
        return t == NULL || t->kind == WS_T_VOID ||
               wgt_ws_error(c->m, "type", s->token, "this function gives a %.*s", WS_S(t->name));
    if (!wgt_ws_check_value(c, s->a) || t == NULL)
        return false;
    if (t->kind == WS_T_VOID)
        return wgt_ws_error(c->m, "type", s->token, "this function gives no value");
    return wgt_ws_coerce(c, s->a, t) ||
           wgt_ws_error(c->m, "type", s->a->token, "this function gives a %.*s, not a %.*s", WS_S(t->name),
                        WS_S(s->a->type->name));
}

static unsigned check_if(ws_checker *c, ws_stmt *s) {
    unsigned behaviour = 0;
    for (;; s = s->other) {
        condition(c, s->a);
        behaviour |= check_block(c, s->body);
        if (s->other == NULL)
            return behaviour | NEXT;
        if (s->other->kind != WS_S_IF)
            return behaviour | check_block(c, s->other);
    }
}

typedef struct selector {
    int64_t value;
    uint32_t token;
} selector;

static void sift(selector *list, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && list[child + 1].value > list[child].value)
            child++;
        if (list[root].value >= list[child].value)
            return;
        selector t = list[root];
        list[root] = list[child];
        list[child] = t;
    }
}

/* Two cases of one value; heap sort, since switches may be long. */
static void check_duplicates(ws_checker *c, selector *list, size_t count) {
    for (size_t i = count / 2; i-- > 0;)
        sift(list, i, count);
    for (size_t end = count; end > 1; end--) {
        selector t = list[0];
        list[0] = list[end - 1];
        list[end - 1] = t;
        sift(list, 0, end - 1);
    }
    for (size_t i = 1; i < count; i++) {
        if (list[i].value == list[i - 1].value) {
            uint32_t token = list[i].token > list[i - 1].token ? list[i].token : list[i - 1].token;
            wgt_ws_error(c->m, "switch", token, "two cases for %lld", (long long)list[i].value);
            return;
        }
    }
}

static const ws_type *selector_type(ws_checker *c, ws_stmt *s) {
    if (!wgt_ws_check_value(c, s->a))
        return NULL;
    const ws_type *t = s->a->type;
    bool ok = wgt_ws_is_int(t);
    for (ws_stmt *k = s->body; k != NULL; k = k->next) {
        for (ws_expr *x = k->a; x != NULL; x = x->next) {
            if (!wgt_ws_check_value(c, x))
                t = NULL;
            else if (t != NULL && ok && wgt_ws_unify(t, x->type) == NULL)
                return wgt_ws_error(c->m, "type", x->token, "a case of another type than the selector's"), NULL;
            else if (t != NULL)
                t = wgt_ws_unify(t, x->type);
        }
    }
    if (!ok)
        return wgt_ws_error(c->m, "type", s->a->token, "a switch is over an i32 or u32"), NULL;
    return wgt_ws_concrete(c->m, t);
}

static unsigned check_switch(ws_checker *c, ws_stmt *s) {
    const ws_type *t = selector_type(c, s);
    size_t count = 0, capacity = 0;
    selector *list = NULL;
    unsigned behaviour = 0, defaults = 0;
    if (t != NULL)
        wgt_ws_coerce(c, s->a, t);
    c->switches++;
    unsigned loops = c->loops, continuing = c->continuing;
    c->continuing = 0;
    for (ws_stmt *k = s->body; k != NULL; k = k->next) {
        for (ws_expr *x = k->a; t != NULL && x != NULL; x = x->next) {
            if (!wgt_ws_coerce(c, x, t) || x->stage != WS_CONSTANT) {
                wgt_ws_error(c->m, "switch", x->token, "a case must be a constant");
                continue;
            }
            if (x->value == NULL || !WS_GROW(c->m, list, count, capacity))
                continue;
            list[count++] = (selector){wgt_ws_leaf(x->value, 0).i, x->token};
        }
        defaults += k->is_default;
        if (k->is_default && defaults == 2)
            wgt_ws_error(c->m, "switch", k->token, "a switch has one default");
        c->continuing = continuing;
        behaviour |= check_block(c, k->body);
    }
    c->loops = loops;
    c->switches--;
    check_duplicates(c, list, count);
    if (defaults == 0)
        wgt_ws_error(c->m, "switch", s->token, "a switch needs a default");
    return (behaviour & (unsigned)~BREAK) | ((behaviour & BREAK) != 0 ? NEXT : 0);
}

/* Loops: what a body's behaviour becomes outside; `exits`: a condition may end it. */
static unsigned loop_behaviour(ws_checker *c, const ws_stmt *s, unsigned behaviour, bool exits) {
    if (!exits && (behaviour & (BREAK | RETURN)) == 0) {
        wgt_ws_error(c->m, "flow", s->begin, "this loop has no exit");
        return NEXT;
    }
    unsigned left = behaviour & RETURN;
    return left | (exits || (behaviour & BREAK) != 0 ? NEXT : 0);
}

static unsigned check_loop(ws_checker *c, ws_stmt *s) {
    unsigned switches = c->switches, continuing = c->continuing;
    ws_decl *outer = open_scope(c);
    unsigned behaviour = 0;
    c->loops++;
    c->switches = 0;
    c->continuing = 0;
    if (s->kind == WS_S_FOR && s->init != NULL)
        check_statement(c, s->init);
    if (s->a != NULL)
        condition(c, s->a);
    ws_decl *inner = open_scope(c);
    behaviour = check_sequence(c, s->body->body);
    if (s->kind == WS_S_LOOP && s->other != NULL) {
        /* the continuing block sees the body's names */
        c->continuing = 1;
        behaviour |= check_block(c, s->other);
        c->continuing = 0;
    }
    close_scope(c, inner);
    if (s->kind == WS_S_FOR && s->other != NULL)
        check_statement(c, s->other);
    close_scope(c, outer);
    c->loops--;
    c->switches = switches;
    c->continuing = continuing;
    return loop_behaviour(c, s, behaviour, s->a != NULL);
}

static unsigned check_jump(ws_checker *c, ws_stmt *s) {
    switch (s->kind) {
    case WS_S_BREAK:
        if (c->loops == 0 && c->switches == 0)
            wgt_ws_error(c->m, "flow", s->token, "'break' outside a loop or switch");
        else if (c->continuing > 0 && c->switches == 0)
            wgt_ws_error(c->m, "flow", s->token, "'break' in a continuing block: use 'break if'");
        return BREAK;
    case WS_S_CONTINUE:
        if (c->loops == 0 || c->continuing > 0)
            wgt_ws_error(c->m, "flow", s->token, "'continue' outside a loop's body");
        return CONTINUE;
    case WS_S_BREAK_IF:
        if (c->continuing == 0 || s->next != NULL)
            wgt_ws_error(c->m, "flow", s->token, "'break if' belongs at the end of a continuing block");
        condition(c, s->a);
        return BREAK | NEXT;
    default: check_return(c, s); return RETURN;
    }
}

static void check_assert(ws_checker *c, const ws_stmt *s) {
    if (!condition(c, s->a))
        return;
    if (s->a->stage != WS_CONSTANT)
        wgt_ws_error(c->m, "constant", s->a->token, "a const_assert needs a value that is known ahead");
    else if (s->a->value != NULL && wgt_ws_leaf(s->a->value, 0).i == 0)
        wgt_ws_error(c->m, "assert", s->token, "this const_assert is false");
}

static unsigned check_statement(ws_checker *c, ws_stmt *s) {
    switch (s->kind) {
    case WS_BLOCK: return check_block(c, s);
    case WS_S_IF: return check_if(c, s);
    case WS_S_SWITCH: return check_switch(c, s);
    case WS_S_LOOP:
    case WS_S_FOR:
    case WS_S_WHILE: return check_loop(c, s);
    case WS_S_BREAK:
    case WS_S_BREAK_IF:
    case WS_S_CONTINUE:
    case WS_S_RETURN: return check_jump(c, s);
    case WS_S_DISCARD: c->function->flags |= WS_U_DISCARD; return NEXT;
    case WS_S_CALL: check_call_statement(c, s); return NEXT;
    case WS_S_ASSIGN: check_assign(c, s); return NEXT;
    case WS_S_PHONY:
        if (wgt_ws_check_value(c, s->b))
            wgt_ws_concretize(c, s->b);
        return NEXT;
    case WS_S_INCREMENT:
    case WS_S_DECREMENT: check_step(c, s); return NEXT;
    case WS_S_DECL: check_local(c, s->decl); return NEXT;
    default: check_assert(c, s); return NEXT;
    }
}

bool wgt_ws_check_body(ws_checker *c, ws_decl *function) {
    c->function = function;
    c->locals = true;
    c->tail = &function->uses_tail;
    c->user = function;
    ws_decl *outer = open_scope(c);
    for (ws_decl *p = function->members; p != NULL; p = p->next)
        declare(c, p);
    unsigned behaviour = check_sequence(c, function->body->body);
    close_scope(c, outer);
    c->function = NULL;
    c->locals = false;
    c->tail = NULL;
    if ((behaviour & NEXT) != 0 && function->type != NULL && function->type->kind != WS_T_VOID)
        return wgt_ws_error(c->m, "flow", function->body->body_end, "'%.*s' may end without a return",
                            WS_S(wgt_ws_symbol_text(c->m, function->symbol)));
    return true;
}
