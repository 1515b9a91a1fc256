/* Expressions. Binary operators follow the grammar's classes: they mix only where the specification's
 * productions let them, everything else needs parentheses. */
#include "internal.h"

/* Reserved words pass as names here and are reported after the parse: a syntax error says more. */
unsigned wgt_ws_peek(const ws_parser *p) {
    if (p->m->no_memory || p->m->fatal)
        return WS_END;
    unsigned kind = p->m->tokens[p->at].kind;
    return kind == WS_RESERVED ? (unsigned)WS_IDENT : kind;
}

static const ws_token *token(const ws_parser *p) { return &p->m->tokens[p->at]; }

/* Reports once a declaration or statement, at the current token. */
bool wgt_ws_syntax(ws_parser *p, const char *format, ...) {
    if (!p->failed && !p->m->no_memory && !p->m->fatal && token(p)->kind != WS_BAD) {
        char memory[256];
        wgt_out out;
        wgt_out_init(&out, memory, sizeof memory);
        va_list arguments;
        va_start(arguments, format);
        wgt_vputf(&out, format, arguments);
        va_end(arguments);
        unsigned kind = token(p)->kind;
        wgt_str shown = wgt_ws_text(p->m, p->at, p->at + 1);
        const char *help = NULL;
        if (kind == WS_RESERVED && wgt_str_is(shown, "import"))
            help = "imports belong to a preprocessor: run it first and pass what comes out";
        if (kind == WS_END)
            wgt_ws_report(p->m, WGT_SEVERITY_ERROR, "syntax", token(p)->offset, help,
                          "%.*s, not the end of the text", (int)out.size, out.data);
        else
            wgt_ws_report(p->m, WGT_SEVERITY_ERROR, "syntax", token(p)->offset, help, "%.*s, not %s'%.*s'",
                          (int)out.size, out.data,
                          kind == WS_RESERVED ? "the reserved word " : "", WS_S(shown));
    }
    p->m->syntax_error = true;
    p->failed = true;
    return false;
}

bool wgt_ws_expect(ws_parser *p, unsigned kind, const char *where) {
    if (wgt_ws_peek(p) == kind) {
        p->at++;
        return true;
    }
    return wgt_ws_syntax(p, "expected %s %s", wgt_ws_token_name(kind), where);
}

bool wgt_ws_enter(ws_parser *p) {
    if (p->nesting >= WS_MAX_NESTING) {
        if (!p->failed)
            wgt_ws_report(p->m, WGT_SEVERITY_ERROR, "depth", token(p)->offset, NULL,
                          "nested more than %d deep", WS_MAX_NESTING);
        p->m->syntax_error = true;
        p->failed = true;
        return false;
    }
    p->nesting++;
    return true;
}

static ws_expr *make(ws_parser *p, ws_expr_kind kind, uint32_t at, uint32_t begin) {
    ws_expr *x = WS_NEW(p->m, ws_expr);
    if (x == NULL)
        return NULL;
    x->kind = (uint8_t)kind;
    x->token = at;
    x->begin = begin;
    x->end = p->at;
    return x;
}

static ws_expr *close_over(ws_parser *p, ws_expr *x) {
    if (x == NULL)
        return NULL;
    unsigned depth = 0;
    if (x->a != NULL)
        depth = x->a->depth;
    for (const ws_expr *y = x->b; y != NULL; y = y->next)
        depth = y->depth > depth ? y->depth : depth;
    x->depth = (uint16_t)(depth + 1);
    x->end = p->at;
    if (x->depth <= WS_MAX_DEPTH)
        return x;
    if (!p->failed)
        wgt_ws_report(p->m, WGT_SEVERITY_ERROR, "depth", p->m->tokens[x->token].offset, NULL,
                      "an expression more than %d operations deep", WS_MAX_DEPTH);
    p->m->syntax_error = true;
    p->failed = true;
    return NULL;
}

/* Up to and including `close`, a trailing comma allowed. NULL with count 0 is also an empty list: look at
 * p->failed. */
ws_expr *wgt_ws_parse_arguments(ws_parser *p, unsigned close, uint32_t *count) {
    ws_expr *first = NULL, **tail = &first;
    *count = 0;
    while (wgt_ws_peek(p) != close) {
        ws_expr *x = wgt_ws_parse_expression(p);
        if (x == NULL)
            return NULL;
        *tail = x;
        tail = &x->next;
        ++*count;
        if (wgt_ws_peek(p) != WS_COMMA)
            break;
        p->at++;
    }
    return wgt_ws_expect(p, close, close == WS_GREATER ? "after the template list" : "after the arguments")
               ? first
               : NULL;
}

/* An identifier with its template list, if one is there. */
static ws_expr *parse_name(ws_parser *p) {
    uint32_t begin = p->at;
    if (wgt_ws_peek(p) != WS_IDENT) {
        wgt_ws_syntax(p, "expected a name");
        return NULL;
    }
    ws_expr *x = make(p, WS_E_IDENT, begin, begin);
    if (x == NULL)
        return NULL;
    wgt_str text = wgt_ws_text(p->m, begin, begin + 1);
    if (text.size > 1 && text.data[0] == '_' && text.data[1] == '_')
        wgt_ws_syntax(p, "names must not start with two underscores");
    x->symbol = token(p)->symbol;
    p->at++;
    if (wgt_ws_peek(p) == WS_LESS && (token(p)->flags & WS_TEMPLATE_OPEN) != 0) {
        p->at++;
        if (!wgt_ws_enter(p))
            return NULL;
        x->a = wgt_ws_parse_arguments(p, WS_GREATER, &x->count);
        p->nesting--;
        if (x->a == NULL) {
            wgt_ws_syntax(p, "expected a template argument");
            return NULL;
        }
        unsigned depth = 0;
        for (const ws_expr *y = x->a; y != NULL; y = y->next)
            depth = y->depth > depth ? y->depth : depth;
        x->depth = (uint16_t)depth;
    }
    return close_over(p, x);
}

ws_expr *wgt_ws_parse_type(ws_parser *p) {
    if (wgt_ws_peek(p) != WS_IDENT) {
        wgt_ws_syntax(p, "expected a type");
        return NULL;
    }
    return parse_name(p);
}

static ws_expr *parse_primary(ws_parser *p) {
    uint32_t begin = p->at;
    ws_expr *x;
    switch (wgt_ws_peek(p)) {
    case WS_NUMBER:
    case WS_TRUE:
    case WS_FALSE:
        p->at++;
        x = make(p, p->m->tokens[begin].kind == WS_NUMBER ? WS_E_LITERAL : WS_E_BOOL, begin, begin);
        return close_over(p, x);
    case WS_LPAREN:
        p->at++;
        if (!wgt_ws_enter(p))
            return NULL;
        x = wgt_ws_parse_expression(p);
        p->nesting--;
        if (x == NULL || !wgt_ws_expect(p, WS_RPAREN, "after the expression"))
            return NULL;
        x->paren = true;
        x->begin = begin;
        x->end = p->at;
        return x;
    case WS_IDENT: break;
    default: wgt_ws_syntax(p, "expected an expression"); return NULL;
    }
    x = parse_name(p);
    if (x == NULL || wgt_ws_peek(p) != WS_LPAREN)
        return x;
    ws_expr *call = make(p, WS_E_CALL, x->token, begin);
    p->at++;
    if (call == NULL || !wgt_ws_enter(p))
        return NULL;
    call->a = x;
    call->b = wgt_ws_parse_arguments(p, WS_RPAREN, &call->count);
    p->nesting--;
    return p->failed ? NULL : close_over(p, call);
}

static ws_expr *parse_postfix(ws_parser *p, ws_expr *x) {
    while (x != NULL) {
        uint32_t at = p->at;
        ws_expr *outer;
        if (wgt_ws_peek(p) == WS_LBRACKET) {
            p->at++;
            if (!wgt_ws_enter(p))
                return NULL;
            ws_expr *index = wgt_ws_parse_expression(p);
            p->nesting--;
            if (index == NULL || !wgt_ws_expect(p, WS_RBRACKET, "after the index"))
                return NULL;
            outer = make(p, WS_E_INDEX, at, x->begin);
            if (outer != NULL)
                outer->b = index;
        } else if (wgt_ws_peek(p) == WS_DOT) {
            p->at++;
            if (wgt_ws_peek(p) != WS_IDENT) {
                wgt_ws_syntax(p, "expected a member's name");
                return NULL;
            }
            outer = make(p, WS_E_MEMBER, p->at, x->begin);
            if (outer != NULL)
                outer->symbol = token(p)->symbol;
            p->at++;
        } else {
            return x;
        }
        if (outer != NULL)
            outer->a = x;
        x = close_over(p, outer);
    }
    return NULL;
}

static ws_expr *parse_unary(ws_parser *p) {
    unsigned kind = wgt_ws_peek(p);
    if (kind != WS_BANG && kind != WS_MINUS && kind != WS_TILDE && kind != WS_STAR && kind != WS_AND)
        return parse_postfix(p, parse_primary(p));
    uint32_t at = p->at++;
    if (!wgt_ws_enter(p))
        return NULL;
    ws_expr *operand = parse_unary(p);
    p->nesting--;
    ws_expr *x = operand == NULL ? NULL : make(p, WS_E_UNARY, at, at);
    if (x == NULL)
        return NULL;
    x->op = (uint8_t)kind;
    x->a = operand;
    return close_over(p, x);
}

static bool adjacent(const ws_parser *p, uint32_t at, unsigned kind) {
    const ws_token *t = &p->m->tokens[at];
    return t[1].kind == kind && t[1].offset == t->offset + 1 && (t[1].flags & WS_TEMPLATE_CLOSE) == 0;
}

/* The operator here, with `>=`, `>>`, `>>=` put together, and how many tokens it is. */
static unsigned operator_here(const ws_parser *p, uint32_t *length) {
    unsigned kind = wgt_ws_peek(p);
    *length = 1;
    if (kind == WS_LESS && (token(p)->flags & WS_TEMPLATE_OPEN) != 0)
        return WS_END;
    if (kind != WS_GREATER)
        return kind;
    if ((token(p)->flags & WS_TEMPLATE_CLOSE) != 0)
        return WS_END;
    if (adjacent(p, p->at, WS_EQUAL)) {
        *length = 2;
        return WS_GREATER_EQUAL;
    }
    if (!adjacent(p, p->at, WS_GREATER))
        return WS_GREATER;
    *length = adjacent(p, p->at + 1, WS_EQUAL) ? 3 : 2;
    return *length == 3 ? WS_SHIFT_RIGHT_EQUAL : WS_SHIFT_RIGHT;
}

static ws_expr *binary(ws_parser *p, unsigned op, uint32_t at, ws_expr *a, ws_expr *b) {
    if (a == NULL || b == NULL)
        return NULL;
    ws_expr *x = make(p, WS_E_BINARY, at, a->begin);
    if (x == NULL)
        return NULL;
    x->op = (uint8_t)op;
    x->a = a;
    x->b = b;
    return close_over(p, x);
}

static bool is_multiplicative(unsigned op) { return op == WS_STAR || op == WS_SLASH || op == WS_PERCENT; }
static bool is_additive(unsigned op) { return op == WS_PLUS || op == WS_MINUS; }
static bool is_shift(unsigned op) { return op == WS_SHIFT_LEFT || op == WS_SHIFT_RIGHT; }
static bool is_bitwise(unsigned op) { return op == WS_AND || op == WS_OR || op == WS_CARET; }
static bool is_relational(unsigned op) {
    return op == WS_LESS || op == WS_GREATER || op == WS_LESS_EQUAL || op == WS_GREATER_EQUAL ||
           op == WS_EQUAL_EQUAL || op == WS_NOT_EQUAL;
}

static ws_expr *parse_product(ws_parser *p, ws_expr *x) {
    uint32_t length;
    for (unsigned op; x != NULL && is_multiplicative(op = operator_here(p, &length));) {
        uint32_t at = p->at;
        p->at += length;
        x = binary(p, op, at, x, parse_unary(p));
    }
    return x;
}

/* shift_expression, its first unary expression already there */
static ws_expr *parse_shift(ws_parser *p, ws_expr *unary) {
    uint32_t length, at = p->at;
    unsigned op = operator_here(p, &length);
    if (unary != NULL && is_shift(op)) {
        p->at += length;
        return binary(p, op, at, unary, parse_unary(p));
    }
    ws_expr *x = parse_product(p, unary);
    while (x != NULL && is_additive(op = operator_here(p, &length))) {
        at = p->at;
        p->at += length;
        x = binary(p, op, at, x, parse_product(p, parse_unary(p)));
    }
    return x;
}

static ws_expr *parse_relational(ws_parser *p, ws_expr *unary) {
    ws_expr *x = parse_shift(p, unary);
    uint32_t length, at = p->at;
    unsigned op = operator_here(p, &length);
    if (x == NULL || !is_relational(op))
        return x;
    p->at += length;
    return binary(p, op, at, x, parse_shift(p, parse_unary(p)));
}

static ws_expr *parse_chain(ws_parser *p, ws_expr *x, unsigned op, bool relational) {
    uint32_t length;
    while (x != NULL && operator_here(p, &length) == op) {
        uint32_t at = p->at;
        p->at += length;
        ws_expr *b = parse_unary(p);
        x = binary(p, op, at, x, relational ? parse_relational(p, b) : b);
    }
    return x;
}

ws_expr *wgt_ws_parse_expression(ws_parser *p) {
    ws_expr *x = parse_unary(p);
    if (x == NULL)
        return NULL;
    uint32_t length;
    unsigned op = operator_here(p, &length);
    if (is_bitwise(op)) {
        x = parse_chain(p, x, op, false);
    } else {
        x = parse_relational(p, x);
        op = operator_here(p, &length);
        if (x != NULL && (op == WS_AND_AND || op == WS_OR_OR))
            x = parse_chain(p, x, op, true);
    }
    if (x == NULL)
        return NULL;
    op = operator_here(p, &length);
    if (is_bitwise(op) || is_relational(op) || is_shift(op) || is_additive(op) || is_multiplicative(op) ||
        op == WS_AND_AND || op == WS_OR_OR) {
        wgt_ws_syntax(p, "mixing these operators needs parentheses: expected the expression's end");
        return NULL;
    }
    return x;
}

/* `a.b[i]`, `*p`, `&x`, `(…)`: what an assignment may start with. */
ws_expr *wgt_ws_parse_left(ws_parser *p) {
    unsigned kind = wgt_ws_peek(p);
    if (kind == WS_STAR || kind == WS_AND) {
        uint32_t at = p->at++;
        if (!wgt_ws_enter(p))
            return NULL;
        ws_expr *operand = wgt_ws_parse_left(p);
        p->nesting--;
        ws_expr *x = operand == NULL ? NULL : make(p, WS_E_UNARY, at, at);
        if (x == NULL)
            return NULL;
        x->op = (uint8_t)kind;
        x->a = operand;
        return close_over(p, x);
    }
    if (kind == WS_LPAREN) {
        uint32_t begin = p->at++;
        if (!wgt_ws_enter(p))
            return NULL;
        ws_expr *x = wgt_ws_parse_left(p);
        p->nesting--;
        if (x == NULL || !wgt_ws_expect(p, WS_RPAREN, "after the expression"))
            return NULL;
        x->paren = true;
        x->begin = begin;
        return parse_postfix(p, x);
    }
    return parse_postfix(p, parse_primary(p));
}
