/* The order of checking: names, then what is declared, then bodies, then the graph of calls. */
#include "internal.h"

static void declare_all(wgt_wgsl *m) {
    for (ws_decl *d = m->decls; d != NULL; d = d->next) {
        if (d->kind == WS_D_ASSERT)
            continue;
        ws_symbol *s = &m->symbols[d->symbol];
        if (s->global != NULL) {
            uint32_t line, column;
            wgt_ws_place(m, m->tokens[s->global->token].offset, &line, &column);
            wgt_ws_error(m, "redeclared", d->token, "'%.*s' is declared already, in line %u",
                         WS_S(wgt_ws_symbol_text(m, d->symbol)), line);
        } else {
            s->global = d;
        }
    }
}

static void check_ids(wgt_wgsl *m) {
    uint8_t *seen = wgt_ws_alloc(m, 65536 / 8, 1);
    for (ws_decl *d = m->decls; seen != NULL && d != NULL; d = d->next) {
        if (d->kind != WS_D_OVERRIDE || d->id < 0)
            continue;
        if ((seen[d->id / 8] >> (d->id % 8) & 1) != 0)
            wgt_ws_error(m, "attribute", d->token, "the override id %d is given twice", (int)d->id);
        seen[d->id / 8] = (uint8_t)(seen[d->id / 8] | 1u << (d->id % 8));
    }
}

typedef struct frame {
    ws_decl *function;
    ws_use *next;
} frame;

/* Depth-first over calls with a stack of its own; `seen` says white (NULL), on the stack, done. */
static bool find_recursion(wgt_wgsl *m, ws_decl *root, frame **stack, size_t *capacity) {
    static const char open = 0, done = 0;
    size_t count = 0;
    if (root->seen != NULL)
        return true;
    if (!WS_GROW(m, *stack, count, *capacity))
        return false;
    root->seen = &open;
    (*stack)[count++] = (frame){root, root->uses};
    while (count > 0) {
        frame *top = &(*stack)[count - 1];
        ws_use *u = top->next;
        if (u == NULL) {
            top->function->seen = &done;
            count--;
            continue;
        }
        top->next = u->next;
        if (u->decl->kind != WS_D_FN || u->decl->seen == &done)
            continue;
        if (u->decl->seen == &open)
            return wgt_ws_error(m, "cycle", u->token, "'%.*s' calls itself, directly or through others",
                                WS_S(wgt_ws_symbol_text(m, u->decl->symbol)));
        if (!WS_GROW(m, *stack, count, *capacity))
            return false;
        u->decl->seen = &open;
        (*stack)[count++] = (frame){u->decl, u->decl->uses};
    }
    return true;
}

static void check_recursion(wgt_wgsl *m) {
    frame *stack = NULL;
    size_t capacity = 0;
    for (ws_decl *d = m->decls; d != NULL; d = d->next) {
        if (d->kind == WS_D_FN && !find_recursion(m, d, &stack, &capacity))
            return;
    }
}

void wgt_ws_check(wgt_wgsl *m) {
    ws_checker c = {.m = m, .eval = {.m = m, .arena = &m->arena}};
    declare_all(m);
    for (ws_decl *d = m->decls; d != NULL && !m->no_memory; d = d->next)
        wgt_ws_check_decl(&c, d);
    for (ws_decl *d = m->decls; d != NULL && !m->no_memory; d = d->next) {
        if (d->kind != WS_D_FN)
            continue;
        wgt_ws_check_entry(&c, d);
        wgt_ws_check_body(&c, d);
    }
    check_ids(m);
    check_recursion(m);
}

/* Rules that hold for what an entry point reaches. */
void wgt_ws_check_entry_graph(wgt_wgsl *m, const ws_decl *entry, ws_decl *const *reached, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const ws_decl *d = reached[i];
        if (d->kind == WS_D_FN && entry->stage_of != 2 && (d->flags & (WS_U_DISCARD | WS_U_FRAGMENT)) != 0)
            wgt_ws_error(m, "stage", d->token,
                         "'%.*s' uses discard, derivatives or implicit levels of detail, which only fragment "
                         "shaders have, and '%.*s' reaches it",
                         WS_S(wgt_ws_symbol_text(m, d->symbol)), WS_S(wgt_ws_symbol_text(m, entry->symbol)));
        if (d->kind == WS_D_FN && entry->stage_of != 3 && (d->flags & WS_U_COMPUTE) != 0)
            wgt_ws_error(m, "stage", d->token,
                         "'%.*s' uses a barrier, which only compute shaders have, and '%.*s' reaches it",
                         WS_S(wgt_ws_symbol_text(m, d->symbol)), WS_S(wgt_ws_symbol_text(m, entry->symbol)));
        if (d->kind == WS_D_VAR && d->space == WS_S_WORKGROUP && entry->stage_of != 3)
            wgt_ws_error(m, "stage", entry->token, "'%.*s' reaches the workgroup variable '%.*s', which only "
                         "compute shaders have", WS_S(wgt_ws_symbol_text(m, entry->symbol)),
                         WS_S(wgt_ws_symbol_text(m, d->symbol)));
    }
}
