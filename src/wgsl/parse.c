/* Declarations and statements. After an error the parser goes on behind the next `;` or block, so that
 * several errors are reported at once. */
#include "internal.h"

static uint32_t symbol_at(const ws_parser *p) { return p->m->tokens[p->at].symbol; }
static bool take(ws_parser *p, unsigned kind) {
    if (wgt_ws_peek(p) != kind)
        return false;
    p->at++;
    return true;
}

static bool name(ws_parser *p, ws_decl *d, const char *what) {
    if (wgt_ws_peek(p) != WS_IDENT)
        return wgt_ws_syntax(p, "expected a name for %s", what);
    wgt_str text = wgt_ws_text(p->m, p->at, p->at + 1);
    if (text.size > 1 && text.data[0] == '_' && text.data[1] == '_')
        return wgt_ws_syntax(p, "names must not start with two underscores");
    d->symbol = symbol_at(p);
    d->token = p->at++;
    return true;
}

static ws_decl *make(ws_parser *p, ws_decl_kind kind, uint32_t begin) {
    ws_decl *d = WS_NEW(p->m, ws_decl);
    if (d == NULL)
        return NULL;
    d->kind = (uint8_t)kind;
    d->begin = begin;
    d->token = p->at;
    d->id = -1;
    d->group = d->binding = UINT32_MAX;
    d->uses_tail = &d->uses;
    d->size_tail = &d->size_uses;
    return d;
}

static bool attributes(ws_parser *p, ws_attribute **list) {
    ws_attribute **tail = list;
    while (wgt_ws_peek(p) == WS_AT) {
        uint32_t begin = p->at++;
        unsigned kind = wgt_ws_peek(p);
        if (kind != WS_IDENT && kind != WS_DIAGNOSTIC && kind != WS_CONST)
            return wgt_ws_syntax(p, "expected an attribute's name");
        ws_attribute *a = WS_NEW(p->m, ws_attribute);
        if (a == NULL)
            return false;
        a->token = p->at++;
        a->begin = begin;
        if (take(p, WS_LPAREN)) {
            a->arguments = wgt_ws_parse_arguments(p, WS_RPAREN, &a->count);
            if (p->failed)
                return false;
        }
        a->end = p->at;
        *tail = a;
        tail = &a->next;
    }
    return true;
}

static bool optional_type(ws_parser *p, ws_decl *d) {
    if (!take(p, WS_COLON))
        return true;
    d->type_expr = wgt_ws_parse_type(p);
    return d->type_expr != NULL;
}

static bool optional_init(ws_parser *p, ws_decl *d, bool wanted) {
    if (wgt_ws_peek(p) != WS_EQUAL)
        return !wanted || wgt_ws_syntax(p, "expected '=' and a value");
    p->at++;
    d->init = wgt_ws_parse_expression(p);
    return d->init != NULL;
}

/* const, override, let, var; without the semicolon */
static ws_decl *variable(ws_parser *p, uint32_t begin) {
    unsigned keyword = wgt_ws_peek(p);
    ws_decl_kind kind = keyword == WS_CONST      ? WS_D_CONST
                        : keyword == WS_OVERRIDE ? WS_D_OVERRIDE
                        : keyword == WS_LET      ? WS_D_LET
                                                 : WS_D_VAR;
    p->at++;
    ws_decl *d = make(p, kind, begin);
    if (d == NULL)
        return NULL;
    if (kind == WS_D_VAR && wgt_ws_peek(p) == WS_LESS &&
        (p->m->tokens[p->at].flags & WS_TEMPLATE_OPEN) != 0) {
        p->at++;
        uint32_t count;
        d->templates = wgt_ws_parse_arguments(p, WS_GREATER, &count);
        if (d->templates == NULL) {
            wgt_ws_syntax(p, "expected an address space");
            return NULL;
        }
    }
    bool wanted = kind == WS_D_CONST || kind == WS_D_LET;
    if (!name(p, d, "this declaration") || !optional_type(p, d) || !optional_init(p, d, wanted))
        return NULL;
    d->end = p->at;
    return d;
}

static ws_stmt *statement(ws_parser *p);
static ws_stmt *block(ws_parser *p, const char *where);

static ws_stmt *make_stmt(ws_parser *p, ws_stmt_kind kind) {
    ws_stmt *s = WS_NEW(p->m, ws_stmt);
    if (s == NULL)
        return NULL;
    s->kind = (uint8_t)kind;
    s->op = WS_EQUAL;
    s->token = s->begin = p->at;
    return s;
}

static unsigned assignment_operator(const ws_parser *p, uint32_t *length) {
    const ws_token *t = &p->m->tokens[p->at];
    *length = 1;
    switch (wgt_ws_peek(p)) {
    case WS_EQUAL: return WS_EQUAL;
    case WS_PLUS_EQUAL: return WS_PLUS;
    case WS_MINUS_EQUAL: return WS_MINUS;
    case WS_STAR_EQUAL: return WS_STAR;
    case WS_SLASH_EQUAL: return WS_SLASH;
    case WS_PERCENT_EQUAL: return WS_PERCENT;
    case WS_AND_EQUAL: return WS_AND;
    case WS_OR_EQUAL: return WS_OR;
    case WS_CARET_EQUAL: return WS_CARET;
    case WS_SHIFT_LEFT_EQUAL: return WS_SHIFT_LEFT;
    case WS_GREATER:
        if (t[1].kind == WS_GREATER && t[2].kind == WS_EQUAL && t[1].offset == t->offset + 1 &&
            t[2].offset == t->offset + 2) {
            *length = 3;
            return WS_SHIFT_RIGHT;
        }
        return WS_END;
    default: return WS_END;
    }
}

/* An assignment, increment or call; without the semicolon. */
static ws_stmt *simple(ws_parser *p) {
    ws_stmt *s = make_stmt(p, WS_S_ASSIGN);
    if (s == NULL)
        return NULL;
    uint32_t length;
    if (take(p, WS_UNDERSCORE)) {
        s->kind = WS_S_PHONY;
        if (!wgt_ws_expect(p, WS_EQUAL, "after '_'"))
            return NULL;
        s->b = wgt_ws_parse_expression(p);
        s->end = p->at;
        return s->b == NULL ? NULL : s;
    }
    s->a = wgt_ws_parse_left(p);
    if (s->a == NULL)
        return NULL;
    s->token = p->at;
    unsigned op = assignment_operator(p, &length);
    if (op != WS_END) {
        s->op = (uint8_t)op;
        p->at += length;
        s->b = wgt_ws_parse_expression(p);
        if (s->b == NULL)
            return NULL;
    } else if (take(p, WS_PLUS_PLUS)) {
        s->kind = WS_S_INCREMENT;
    } else if (take(p, WS_MINUS_MINUS)) {
        s->kind = WS_S_DECREMENT;
    } else if (s->a->kind == WS_E_CALL && !s->a->paren) {
        s->kind = WS_S_CALL;
        s->token = s->a->token;
    } else {
        wgt_ws_syntax(p, "expected an assignment, '++', '--' or a call");
        return NULL;
    }
    s->end = p->at;
    return s;
}

static ws_stmt *local(ws_parser *p) {
    ws_stmt *s = make_stmt(p, WS_S_DECL);
    if (s == NULL)
        return NULL;
    s->decl = variable(p, p->at);
    s->end = p->at;
    return s->decl == NULL ? NULL : s;
}

/* An if with all its else-ifs, in a loop rather than by recursion: such chains are long in practice. */
static ws_stmt *if_statement(ws_parser *p) {
    ws_stmt *first = NULL, **tail = &first;
    for (;;) {
        ws_stmt *s = make_stmt(p, WS_S_IF);
        if (s == NULL)
            return NULL;
        *tail = s;
        tail = &s->other;
        p->at++;
        s->a = wgt_ws_parse_expression(p);
        s->body = s->a == NULL ? NULL : block(p, "after the condition");
        s->end = p->at;
        if (s->body == NULL)
            return NULL;
        if (!take(p, WS_ELSE))
            return first;
        if (wgt_ws_peek(p) != WS_IF) {
            *tail = block(p, "after 'else'");
            return *tail == NULL ? NULL : first;
        }
    }
}

static ws_stmt *case_clause(ws_parser *p) {
    ws_stmt *s = make_stmt(p, WS_S_CASE);
    if (s == NULL)
        return NULL;
    if (take(p, WS_DEFAULT)) {
        s->is_default = true;
    } else if (take(p, WS_CASE)) {
        ws_expr **tail = &s->a;
        do {
            unsigned kind = wgt_ws_peek(p);
            if (kind == WS_COLON || kind == WS_LBRACE)
                break;
            if (take(p, WS_DEFAULT)) {
                s->is_default = true;
                continue;
            }
            *tail = wgt_ws_parse_expression(p);
            if (*tail == NULL)
                return NULL;
            tail = &(*tail)->next;
        } while (take(p, WS_COMMA));
        if (s->a == NULL && !s->is_default) {
            wgt_ws_syntax(p, "expected a case selector");
            return NULL;
        }
    } else {
        wgt_ws_syntax(p, "expected 'case' or 'default'");
        return NULL;
    }
    take(p, WS_COLON);
    s->body = block(p, "for the case");
    s->end = p->at;
    return s->body == NULL ? NULL : s;
}

static ws_stmt *switch_statement(ws_parser *p) {
    ws_stmt *s = make_stmt(p, WS_S_SWITCH);
    if (s == NULL)
        return NULL;
    p->at++;
    s->a = wgt_ws_parse_expression(p);
    ws_attribute *ignored = NULL;
    if (s->a == NULL || !attributes(p, &ignored) || !wgt_ws_expect(p, WS_LBRACE, "after the selector"))
        return NULL;
    ws_stmt **tail = &s->body;
    while (wgt_ws_peek(p) != WS_RBRACE) {
        *tail = case_clause(p);
        if (*tail == NULL)
            return NULL;
        tail = &(*tail)->next;
    }
    s->body_end = p->at++;
    s->end = p->at;
    return s;
}

static ws_stmt *for_statement(ws_parser *p) {
    ws_stmt *s = make_stmt(p, WS_S_FOR);
    if (s == NULL)
        return NULL;
    p->at++;
    if (!wgt_ws_expect(p, WS_LPAREN, "after 'for'"))
        return NULL;
    unsigned kind = wgt_ws_peek(p);
    if (kind != WS_SEMICOLON)
        s->init = kind == WS_VAR || kind == WS_LET || kind == WS_CONST ? local(p) : simple(p);
    if (p->failed || !wgt_ws_expect(p, WS_SEMICOLON, "after the loop's first part"))
        return NULL;
    if (wgt_ws_peek(p) != WS_SEMICOLON)
        s->a = wgt_ws_parse_expression(p);
    if (p->failed || !wgt_ws_expect(p, WS_SEMICOLON, "after the loop's condition"))
        return NULL;
    if (wgt_ws_peek(p) != WS_RPAREN)
        s->other = simple(p);
    if (p->failed || !wgt_ws_expect(p, WS_RPAREN, "after the loop's last part"))
        return NULL;
    s->body = block(p, "for the loop");
    s->end = p->at;
    return s->body == NULL ? NULL : s;
}

static ws_stmt *loop_statement(ws_parser *p, bool is_while) {
    ws_stmt *s = make_stmt(p, is_while ? WS_S_WHILE : WS_S_LOOP);
    if (s == NULL)
        return NULL;
    p->at++;
    if (is_while && (s->a = wgt_ws_parse_expression(p)) == NULL)
        return NULL;
    ws_attribute *ignored = NULL;
    if (!attributes(p, &ignored))
        return NULL;
    s->body = block(p, "for the loop");
    s->end = p->at;
    if (s->body == NULL || is_while)
        return s->body == NULL ? NULL : s;
    s->other = s->body->other; /* the block's continuing */
    s->body->other = NULL;
    return s;
}

/* A statement that a semicolon ends. */
static ws_stmt *ended(ws_parser *p) {
    unsigned kind = wgt_ws_peek(p);
    ws_stmt *s = NULL;
    switch (kind) {
    case WS_VAR:
    case WS_LET:
    case WS_CONST: s = local(p); break;
    case WS_RETURN:
        s = make_stmt(p, WS_S_RETURN);
        p->at++;
        if (s != NULL && wgt_ws_peek(p) != WS_SEMICOLON)
            s->a = wgt_ws_parse_expression(p);
        break;
    case WS_CONST_ASSERT:
        s = make_stmt(p, WS_S_ASSERT);
        p->at++;
        if (s != NULL)
            s->a = wgt_ws_parse_expression(p);
        break;
    case WS_BREAK:
        s = make_stmt(p, WS_S_BREAK);
        p->at++;
        if (s != NULL && take(p, WS_IF)) {
            s->kind = WS_S_BREAK_IF;
            s->a = wgt_ws_parse_expression(p);
        }
        break;
    case WS_CONTINUE:
    case WS_DISCARD:
        s = make_stmt(p, kind == WS_CONTINUE ? WS_S_CONTINUE : WS_S_DISCARD);
        p->at++;
        break;
    default: s = simple(p); break;
    }
    if (s == NULL || p->failed || !wgt_ws_expect(p, WS_SEMICOLON, "after the statement"))
        return NULL;
    s->end = p->at;
    return s;
}

static ws_stmt *statement(ws_parser *p) {
    ws_attribute *ignored = NULL;
    uint32_t begin = p->at;
    if (!attributes(p, &ignored))
        return NULL;
    unsigned kind = wgt_ws_peek(p);
    if (ignored != NULL && kind != WS_IF && kind != WS_SWITCH && kind != WS_LOOP && kind != WS_FOR &&
        kind != WS_WHILE && kind != WS_LBRACE) {
        p->at = begin;
        wgt_ws_syntax(p, "attributes are not allowed before this statement");
        return NULL;
    }
    switch (kind) {
    case WS_IF: return if_statement(p);
    case WS_SWITCH: return switch_statement(p);
    case WS_LOOP: return loop_statement(p, false);
    case WS_WHILE: return loop_statement(p, true);
    case WS_FOR: return for_statement(p);
    case WS_LBRACE: return block(p, "here");
    default: return ended(p);
    }
}

/* Goes on behind the `;` or the block in which an error was found, at the same nesting. */
static void recover(ws_parser *p, bool in_block) {
    uint32_t depth = 0;
    p->failed = false;
    for (;; p->at++) {
        switch (wgt_ws_peek(p)) {
        case WS_END: return;
        case WS_LBRACE: depth++; break;
        case WS_RBRACE:
            if (depth == 0 && in_block)
                return;
            depth -= depth > 0;
            if (depth == 0) {
                p->at++;
                return;
            }
            break;
        case WS_SEMICOLON:
            if (depth == 0) {
                p->at++;
                return;
            }
            break;
        case WS_FN:
        case WS_STRUCT:
        case WS_OVERRIDE:
            /* these only begin declarations: a brace was lost above */
            if (in_block || depth == 0)
                return;
            break;
        default: break;
        }
    }
}

static ws_stmt *block(ws_parser *p, const char *where) {
    ws_attribute *ignored = NULL;
    ws_stmt *s = attributes(p, &ignored) ? make_stmt(p, WS_BLOCK) : NULL;
    if (s == NULL || !wgt_ws_expect(p, WS_LBRACE, where) || !wgt_ws_enter(p))
        return NULL;
    ws_stmt **tail = &s->body;
    uint32_t nesting = p->nesting;
    for (;;) {
        unsigned kind = wgt_ws_peek(p);
        p->nesting = nesting;
        if (kind == WS_RBRACE)
            break;
        if (take(p, WS_SEMICOLON))
            continue;
        if (kind == WS_END || kind == WS_FN || kind == WS_STRUCT || kind == WS_OVERRIDE) {
            wgt_ws_syntax(p, "expected a statement or '}'");
            return NULL;
        }
        if (kind == WS_CONTINUING && s->other == NULL) {
            p->at++;
            s->other = block(p, "after 'continuing'");
            if (s->other != NULL && wgt_ws_peek(p) != WS_RBRACE)
                wgt_ws_syntax(p, "expected '}' after the continuing block");
        } else if ((*tail = statement(p)) != NULL) {
            tail = &(*tail)->next;
        }
        if (p->m->no_memory || p->m->fatal)
            return NULL;
        if (p->failed)
            recover(p, true);
    }
    p->nesting--;
    s->body_end = p->at++;
    s->end = p->at;
    return s;
}

static ws_decl *function(ws_parser *p, uint32_t begin) {
    p->at++;
    ws_decl *d = make(p, WS_D_FN, begin);
    if (d == NULL || !name(p, d, "the function") || !wgt_ws_expect(p, WS_LPAREN, "after the name"))
        return NULL;
    ws_decl **tail = &d->members;
    while (wgt_ws_peek(p) != WS_RPAREN) {
        ws_decl *q = make(p, WS_D_PARAM, p->at);
        if (q == NULL || !attributes(p, &q->attributes) || !name(p, q, "a parameter") ||
            !wgt_ws_expect(p, WS_COLON, "after the parameter's name"))
            return NULL;
        q->type_expr = wgt_ws_parse_type(p);
        if (q->type_expr == NULL)
            return NULL;
        q->index = d->count++;
        q->end = p->at;
        *tail = q;
        tail = &q->next;
        if (!take(p, WS_COMMA))
            break;
    }
    if (!wgt_ws_expect(p, WS_RPAREN, "after the parameters"))
        return NULL;
    if (take(p, WS_ARROW)) {
        if (!attributes(p, &d->return_attributes))
            return NULL;
        d->type_expr = wgt_ws_parse_type(p);
        if (d->type_expr == NULL)
            return NULL;
    }
    d->body = block(p, "for the function's body");
    d->end = p->at;
    return d->body == NULL ? NULL : d;
}

static ws_decl *structure(ws_parser *p, uint32_t begin) {
    p->at++;
    ws_decl *d = make(p, WS_D_STRUCT, begin);
    if (d == NULL || !name(p, d, "the struct") || !wgt_ws_expect(p, WS_LBRACE, "after the name"))
        return NULL;
    ws_decl **tail = &d->members;
    while (wgt_ws_peek(p) != WS_RBRACE) {
        ws_decl *q = make(p, WS_D_MEMBER, p->at);
        if (q == NULL || !attributes(p, &q->attributes) || !name(p, q, "a member") ||
            !wgt_ws_expect(p, WS_COLON, "after the member's name"))
            return NULL;
        q->type_expr = wgt_ws_parse_type(p);
        if (q->type_expr == NULL)
            return NULL;
        q->index = d->count++;
        q->end = p->at;
        *tail = q;
        tail = &q->next;
        if (!take(p, WS_COMMA))
            break;
    }
    if (!wgt_ws_expect(p, WS_RBRACE, "after the members"))
        return NULL;
    if (d->count == 0) {
        p->at--;
        wgt_ws_syntax(p, "a struct needs a member");
        return NULL;
    }
    d->end = p->at;
    return d;
}

static ws_decl *declaration(ws_parser *p) {
    uint32_t begin = p->at;
    ws_attribute *list = NULL;
    if (!attributes(p, &list))
        return NULL;
    unsigned kind = wgt_ws_peek(p);
    ws_decl *d = NULL;
    switch (kind) {
    case WS_FN: d = function(p, begin); break;
    case WS_STRUCT: d = structure(p, begin); break;
    case WS_VAR:
    case WS_OVERRIDE:
    case WS_CONST: d = variable(p, begin); break;
    case WS_ALIAS:
        p->at++;
        d = make(p, WS_D_ALIAS, begin);
        if (d != NULL && name(p, d, "the alias") && wgt_ws_expect(p, WS_EQUAL, "after the name"))
            d->type_expr = wgt_ws_parse_type(p);
        break;
    case WS_CONST_ASSERT:
        d = make(p, WS_D_ASSERT, begin);
        p->at++;
        if (d != NULL)
            d->init = wgt_ws_parse_expression(p);
        break;
    case WS_LET:
        wgt_ws_syntax(p, "module-scope constants are declared with 'const' or 'override': expected a "
                         "declaration");
        return NULL;
    default: wgt_ws_syntax(p, "expected a declaration"); return NULL;
    }
    if (d == NULL || p->failed)
        return NULL;
    if (kind != WS_FN && kind != WS_STRUCT && !wgt_ws_expect(p, WS_SEMICOLON, "after the declaration"))
        return NULL;
    d->attributes = list;
    if (list != NULL && kind != WS_FN && kind != WS_VAR && kind != WS_OVERRIDE) {
        p->at = begin;
        wgt_ws_syntax(p, "attributes are not allowed on this declaration");
        return NULL;
    }
    d->end = p->at;
    d->module_scope = true;
    return d;
}

static const struct {
    const char *name;
    uint32_t bit;
} extensions[] = {{"f16", WS_X_F16},
                  {"subgroups", WS_X_SUBGROUPS},
                  {"dual_source_blending", WS_X_DUAL_SOURCE},
                  {"clip_distances", WS_X_CLIP},
                  {"primitive_index", WS_X_PRIMITIVE}};

static const char *const language_features[] = {
    "readonly_and_readwrite_storage_textures", "packed_4x8_integer_dot_product",
    "unrestricted_pointer_parameters", "pointer_composite_access", "uniform_buffer_standard_layout",
    "subgroup_id", "subgroup_uniformity", "texture_and_sampler_let", "texture_formats_tier1",
    "linear_indexing", "immediate_address_space", "swizzle_assignment", "fragment_depth"};

static bool known_name(ws_parser *p, bool enable) {
    wgt_str text = wgt_ws_text(p->m, p->at, p->at + 1);
    if (enable) {
        for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
            if (wgt_str_is(text, extensions[i].name)) {
                p->m->extensions |= extensions[i].bit;
                return true;
            }
        }
        return false;
    }
    for (size_t i = 0; i < sizeof language_features / sizeof *language_features; i++) {
        if (wgt_str_is(text, language_features[i]))
            return true;
    }
    return false;
}

static bool names_directive(ws_parser *p, bool enable, size_t *capacity) {
    wgt_wgsl *m = p->m;
    wgt_str **list = enable ? &m->enables : &m->requires_;
    size_t *count = enable ? &m->enable_count : &m->require_count;
    p->at++;
    do {
        if (wgt_ws_peek(p) == WS_SEMICOLON)
            break;
        if (wgt_ws_peek(p) != WS_IDENT)
            return wgt_ws_syntax(p, "expected the name of %s", enable ? "an extension" : "a feature");
        if (!known_name(p, enable))
            wgt_ws_error(m, "extension", p->at, "'%.*s' is no %s that WGSL knows",
                         WS_S(wgt_ws_text(m, p->at, p->at + 1)),
                         enable ? "extension" : "language feature");
        if (!WS_GROW(m, *list, *count, *capacity))
            return false;
        (*list)[(*count)++] = wgt_ws_text(m, p->at, p->at + 1);
        p->at++;
    } while (take(p, WS_COMMA));
    return wgt_ws_expect(p, WS_SEMICOLON, "after the directive");
}

static bool diagnostic_directive(ws_parser *p) {
    p->at++;
    uint32_t count, at = p->at + 1;
    if (!wgt_ws_expect(p, WS_LPAREN, "after 'diagnostic'"))
        return false;
    ws_expr *list = wgt_ws_parse_arguments(p, WS_RPAREN, &count);
    if (p->failed)
        return false;
    static const char *const severities[] = {"error", "warning", "info", "off"};
    bool known = false;
    for (size_t i = 0; list != NULL && i < 4; i++)
        known = known || wgt_str_is(wgt_ws_text(p->m, list->begin, list->end), severities[i]);
    if (count != 2 || !known)
        wgt_ws_error(p->m, "diagnostic", at,
                     "a diagnostic filter is (error, warning, info or off, then a rule)");
    return wgt_ws_expect(p, WS_SEMICOLON, "after the directive");
}

static void directives(ws_parser *p) {
    size_t enables = 0, features = 0;
    for (;;) {
        unsigned kind = wgt_ws_peek(p);
        bool ok;
        if (kind == WS_ENABLE)
            ok = names_directive(p, true, &enables);
        else if (kind == WS_REQUIRES)
            ok = names_directive(p, false, &features);
        else if (kind == WS_DIAGNOSTIC)
            ok = diagnostic_directive(p);
        else if (kind == WS_SEMICOLON)
            ok = take(p, WS_SEMICOLON);
        else
            return;
        if (!ok)
            recover(p, false);
    }
}

static void report_reserved(wgt_wgsl *m) {
    for (uint32_t i = 0; i < m->token_count; i++) {
        if (m->tokens[i].kind == WS_RESERVED)
            wgt_ws_error(m, "reserved", i, "'%.*s' is a reserved word", WS_S(wgt_ws_text(m, i, i + 1)));
    }
}

void wgt_ws_parse(wgt_wgsl *m) {
    ws_parser p = {.m = m};
    m->decls_tail = &m->decls;
    directives(&p);
    while (wgt_ws_peek(&p) != WS_END) {
        if (take(&p, WS_SEMICOLON))
            continue;
        uint32_t begin = p.at;
        p.nesting = 0;
        ws_decl *d = declaration(&p);
        if (d != NULL) {
            *m->decls_tail = d;
            m->decls_tail = &d->next;
            m->decl_count++;
        } else {
            if (p.at == begin && wgt_ws_peek(&p) != WS_END)
                p.at++;
            recover(&p, false);
        }
    }
    report_reserved(m);
}
