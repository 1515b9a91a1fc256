/* Text to tokens: names are interned, line starts noted, template lists found as the specification's
 * template list discovery does it. */
#include "internal.h"

enum { C_OTHER = 0, C_SPACE, C_LETTER, C_DIGIT, C_PUNCT, C_HIGH };

static unsigned class_of(unsigned char c) {
    if (c >= 0x80)
        return C_HIGH;
    if (c == ' ' || (c >= 9 && c <= 13))
        return C_SPACE;
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        return C_LETTER;
    if (c == '_')
        return C_LETTER;
    if (c >= '0' && c <= '9')
        return C_DIGIT;
    return c > ' ' && c < 0x7F ? C_PUNCT : C_OTHER;
}

size_t wgt_ws_utf8(const char *data, size_t size, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)data;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0xC2 || s[0] > 0xF4 || length > size)
        return 0;
    uint32_t c = s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 0;
    *code = c;
    return length;
}

/* FNV-1a. */
uint32_t wgt_ws_hash(const char *data, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)data[i]) * 16777619u;
    return h;
}

static bool rehash(wgt_wgsl *m) {
    uint32_t slots = m->symbol_mask == 0 ? 2048 : (m->symbol_mask + 1) * 2;
    uint32_t *table = wgt_ws_alloc(m, slots, sizeof *table);
    if (table == NULL)
        return false;
    for (uint32_t s = 0; s < m->symbol_count; s++) {
        uint32_t at = m->symbols[s].hash & (slots - 1);
        while (table[at] != 0)
            at = (at + 1) & (slots - 1);
        table[at] = s + 1;
    }
    m->symbol_table = table;
    m->symbol_mask = slots - 1;
    return true;
}

uint32_t wgt_ws_intern(wgt_wgsl *m, const char *data, size_t size, uint32_t hash) {
    if ((m->symbol_table == NULL || m->symbol_count >= m->symbol_mask / 2) && !rehash(m))
        return 0;
    uint32_t at = hash & m->symbol_mask;
    for (; m->symbol_table[at] != 0; at = (at + 1) & m->symbol_mask) {
        const ws_symbol *s = &m->symbols[m->symbol_table[at] - 1];
        if (s->hash == hash && s->size == size && memcmp(s->data, data, size) == 0)
            return m->symbol_table[at] - 1;
    }
    size_t capacity = m->symbol_capacity;
    if (!WS_GROW(m, m->symbols, m->symbol_count, capacity))
        return 0;
    m->symbol_capacity = (uint32_t)capacity;
    m->symbols[m->symbol_count] =
        (ws_symbol){.data = data, .size = (uint32_t)size, .hash = hash, .kind = WS_IDENT};
    m->symbol_table[at] = ++m->symbol_count;
    return m->symbol_count - 1;
}

typedef struct lexer {
    wgt_wgsl *m;
    const char *s;
    size_t n, at;
    size_t token_capacity, line_capacity;
} lexer;

static bool fatal(lexer *l, const char *code, size_t at, const char *help, const char *what,
                  wgt_str shown) {
    wgt_ws_report(l->m, WGT_SEVERITY_ERROR, code, (uint32_t)at, help, what, WS_S(shown));
    l->m->fatal = true;
    return false;
}

static bool new_line(lexer *l, size_t offset) {
    size_t count = l->m->line_count;
    if (!WS_GROW(l->m, l->m->lines, count, l->line_capacity))
        return false;
    l->m->lines[l->m->line_count++] = (uint32_t)offset;
    return true;
}

static ws_token *push(lexer *l, unsigned kind, size_t offset, size_t length) {
    size_t count = l->m->token_count;
    if (!WS_GROW(l->m, l->m->tokens, count, l->token_capacity))
        return NULL;
    ws_token *t = &l->m->tokens[l->m->token_count++];
    *t = (ws_token){.offset = (uint32_t)offset, .length = (uint32_t)length, .kind = (uint8_t)kind};
    return t;
}

/* How many bytes of a line break stand here; 0: none. */
static size_t line_break(const char *s, size_t n) {
    unsigned char c = (unsigned char)s[0];
    if (c == '\r')
        return n > 1 && s[1] == '\n' ? 2 : 1;
    if (c >= 10 && c <= 12)
        return 1;
    if (c == 0xC2 && n > 1 && (unsigned char)s[1] == 0x85)
        return 2;
    if (c == 0xE2 && n > 2 && (unsigned char)s[1] == 0x80 && ((unsigned char)s[2] | 1) == 0xA9)
        return 3;
    return 0;
}

static bool skip_line_comment(lexer *l) {
    while (l->at < l->n) {
        unsigned char c = (unsigned char)l->s[l->at];
        if (c >= 0x80 || (c >= 10 && c <= 13)) {
            if (line_break(l->s + l->at, l->n - l->at) != 0)
                return true;
        }
        if (c == 0)
            return fatal(l, "character", l->at, NULL, "a null character is not allowed%.*s",
                         (wgt_str){"", 0});
        l->at++;
    }
    return true;
}

static bool skip_block_comment(lexer *l) {
    size_t start = l->at, depth = 0;
    while (l->at < l->n) {
        const char *s = l->s + l->at;
        size_t left = l->n - l->at, lines = line_break(s, left);
        if (lines != 0) {
            l->at += lines;
            if (!new_line(l, l->at))
                return false;
        } else if (left > 1 && s[0] == '/' && s[1] == '*') {
            depth++;
            l->at += 2;
        } else if (left > 1 && s[0] == '*' && s[1] == '/') {
            l->at += 2;
            if (--depth == 0)
                return true;
        } else {
            l->at++;
        }
    }
    return fatal(l, "comment", start, NULL, "this comment has no end%.*s", (wgt_str){"", 0});
}

static bool lex_high(lexer *l);

static bool lex_name(lexer *l) {
    size_t start = l->at, at = start;
    const char *s = l->s;
    uint32_t h = 2166136261u;
    for (;;) {
        while (at < l->n) {
            unsigned c = class_of((unsigned char)s[at]);
            if (c != C_LETTER && c != C_DIGIT)
                break;
            h = (h ^ (unsigned char)s[at++]) * 16777619u;
        }
        uint32_t code;
        size_t bytes;
        if (at >= l->n || (unsigned char)s[at] < 0x80 ||
            (bytes = wgt_ws_utf8(s + at, l->n - at, &code)) == 0 || !wgt_ws_is_continue(code))
            break;
        for (; bytes > 0; bytes--)
            h = (h ^ (unsigned char)s[at++]) * 16777619u;
    }
    l->at = at;
    size_t size = at - start;
    if (size == 1 && s[start] == '_')
        return push(l, WS_UNDERSCORE, start, 1) != NULL;
    uint32_t symbol = wgt_ws_intern(l->m, s + start, size, h);
    ws_token *t = l->m->no_memory ? NULL : push(l, l->m->symbols[symbol].kind, start, size);
    if (t != NULL)
        t->symbol = symbol;
    return t != NULL;
}

static bool lex_number(lexer *l) {
    size_t start = l->at, at = start;
    const char *s = l->s;
    bool hex = l->n - at > 1 && s[at] == '0' && (s[at + 1] | 0x20) == 'x';
    for (; at < l->n; at++) {
        unsigned c = class_of((unsigned char)s[at]);
        char before = at > start ? (char)(s[at - 1] | 0x20) : 0;
        if ((s[at] == '+' || s[at] == '-') && before == (hex ? 'p' : 'e') && at > start + (hex ? 2 : 0))
            continue;
        if (c != C_DIGIT && c != C_LETTER && s[at] != '.')
            break;
    }
    l->at = at;
    return push(l, WS_NUMBER, start, at - start) != NULL;
}

static const struct {
    char text[4];
    uint8_t kind;
} operators[] = {
    /* longest first; `>` is always alone */
    {"<<=", WS_SHIFT_LEFT_EQUAL}, {"&&", WS_AND_AND}, {"->", WS_ARROW}, {"==", WS_EQUAL_EQUAL},
    {"!=", WS_NOT_EQUAL}, {"<<", WS_SHIFT_LEFT}, {"<=", WS_LESS_EQUAL}, {"--", WS_MINUS_MINUS},
    {"++", WS_PLUS_PLUS}, {"||", WS_OR_OR}, {"+=", WS_PLUS_EQUAL}, {"-=", WS_MINUS_EQUAL},
    {"*=", WS_STAR_EQUAL}, {"/=", WS_SLASH_EQUAL}, {"%=", WS_PERCENT_EQUAL}, {"&=", WS_AND_EQUAL},
    {"|=", WS_OR_EQUAL}, {"^=", WS_CARET_EQUAL}, {"&", WS_AND}, {"@", WS_AT}, {"/", WS_SLASH},
    {"!", WS_BANG}, {"[", WS_LBRACKET}, {"]", WS_RBRACKET}, {"{", WS_LBRACE}, {"}", WS_RBRACE},
    {":", WS_COLON}, {",", WS_COMMA}, {"=", WS_EQUAL}, {">", WS_GREATER}, {"<", WS_LESS},
    {"%", WS_PERCENT}, {"-", WS_MINUS}, {".", WS_DOT}, {"+", WS_PLUS}, {"|", WS_OR},
    {"(", WS_LPAREN}, {")", WS_RPAREN}, {";", WS_SEMICOLON}, {"*", WS_STAR}, {"~", WS_TILDE},
    {"^", WS_CARET},
};

static unsigned single(char c) {
    switch (c) {
    case '(': return WS_LPAREN;
    case ')': return WS_RPAREN;
    case ',': return WS_COMMA;
    case ';': return WS_SEMICOLON;
    case '.': return WS_DOT;
    case ':': return WS_COLON;
    case '{': return WS_LBRACE;
    case '}': return WS_RBRACE;
    case '[': return WS_LBRACKET;
    case ']': return WS_RBRACKET;
    case '>': return WS_GREATER;
    case '@': return WS_AT;
    case '~': return WS_TILDE;
    default: return WS_END;
    }
}

/* Does `{{`, `{%`, `${` or `#` start a placeholder or a line of some preprocessor? Fills in what to show. */
static bool foreign(const lexer *l, wgt_str *shown) {
    const char *s = l->s + l->at;
    size_t left = l->n - l->at, end = 1;
    bool found = false;
    if (s[0] == '#') {
        while (end < left && class_of((unsigned char)s[end]) == C_LETTER)
            end++;
        found = end > 1 || (left > 1 && s[1] == '{');
    } else if (s[0] == '$') {
        found = left > 1 && (s[1] == '{' || s[1] == '$' || class_of((unsigned char)s[1]) == C_LETTER);
        end = 2;
    } else if (s[0] == '{' && left > 1 && s[1] == '%') {
        found = true;
        end = 2;
    } else if (s[0] == '{' && left > 1 && s[1] == '{') {
        /* `{{ x }}` without a semicolon between is no pair of WGSL blocks, except an empty one */
        size_t i = 2, words = 0;
        for (; i < left && s[i] != '}' && s[i] != ';' && s[i] != '{' && s[i] != '\n'; i++)
            words += s[i] != ' ' && s[i] != '\t';
        found = words > 0 && i + 1 < left && s[i] == '}' && s[i + 1] == '}';
        end = found ? i + 2 : 2;
    }
    if (s[0] == '#' && left > 1 && s[1] == '{') {
        while (end < left && end < 40 && s[end - 1] != '}')
            end++;
    }
    *shown = (wgt_str){s, end};
    return found;
}

static bool stop_before(lexer *l, wgt_str shown) {
    l->m->foreign = shown;
    l->m->foreign_offset = (uint32_t)l->at;
    return false;
}

static bool lex_punctuation(lexer *l) {
    const char *s = l->s + l->at;
    size_t left = l->n - l->at;
    wgt_str shown;
    if ((s[0] == '#' || s[0] == '$' || s[0] == '{') && foreign(l, &shown))
        return stop_before(l, shown);
    unsigned kind = single(s[0]);
    size_t length = 1;
    for (size_t i = 0; kind == WS_END && i < sizeof operators / sizeof *operators; i++) {
        const char *o = operators[i].text;
        if (o[0] != s[0])
            continue;
        length = o[1] == 0 ? 1 : o[2] == 0 ? 2 : 3;
        if (length <= left && memcmp(o, s, length) == 0)
            kind = operators[i].kind;
    }
    if (kind == WS_END) {
        l->at++;
        wgt_ws_report(l->m, WGT_SEVERITY_ERROR, "character", (uint32_t)(l->at - 1), NULL,
                      "'%c' is no character of WGSL", s[0]);
        l->m->syntax_error = true;
        return push(l, WS_BAD, l->at - 1, 1) != NULL;
    }
    l->at += length;
    return push(l, kind, l->at - length, length) != NULL;
}

/* What starts with a byte above ASCII: white space, a line break, a name, or an error. */
static bool lex_high(lexer *l) {
    const char *s = l->s + l->at;
    size_t left = l->n - l->at, bytes = line_break(s, left);
    if (bytes != 0) {
        l->at += bytes;
        return new_line(l, l->at);
    }
    uint32_t code = 0;
    bytes = wgt_ws_utf8(s, left, &code);
    if (code == 0x200E || code == 0x200F || (code == 0xFEFF && l->at == 0)) {
        l->at += bytes;
        return true;
    }
    if (bytes != 0 && wgt_ws_is_start(code))
        return lex_name(l);
    wgt_ws_report(l->m, WGT_SEVERITY_ERROR, "character", (uint32_t)l->at, NULL,
                  bytes == 0 ? "this is no valid UTF-8" : "U+%04x is no character of WGSL", code);
    l->m->syntax_error = true;
    if (bytes == 0)
        l->m->fatal = true;
    l->at += bytes == 0 ? 1 : bytes;
    return bytes != 0 && push(l, WS_BAD, l->at - bytes, bytes) != NULL;
}

static bool lex_space(lexer *l) {
    char c = l->s[l->at];
    if (c == ' ' || c == '\t') {
        l->at++;
        return true;
    }
    l->at += line_break(l->s + l->at, l->n - l->at);
    return new_line(l, l->at);
}

static bool lex_one(lexer *l) {
    unsigned char c = (unsigned char)l->s[l->at];
    bool more = l->at + 1 < l->n;
    switch (class_of(c)) {
    case C_SPACE: return lex_space(l);
    case C_LETTER: return lex_name(l);
    case C_DIGIT: return lex_number(l);
    case C_HIGH: return lex_high(l);
    case C_PUNCT:
        if (c == '/' && more && l->s[l->at + 1] == '/')
            return skip_line_comment(l);
        if (c == '/' && more && l->s[l->at + 1] == '*')
            return skip_block_comment(l);
        if (c == '.' && more && class_of((unsigned char)l->s[l->at + 1]) == C_DIGIT)
            return lex_number(l);
        return lex_punctuation(l);
    default:
        return fatal(l, "character", l->at, NULL,
                     c == 0 ? "a null character is not allowed%.*s" : "a control character is not allowed%.*s",
                     (wgt_str){"", 0});
    }
}

typedef struct pending {
    uint32_t token, depth;
} pending;

/* The specification's "template list discovery", over tokens. */
static bool find_templates(wgt_wgsl *m) {
    pending *stack = NULL;
    size_t count = 0, capacity = 0;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < m->token_count; i++) {
        ws_token *t = &m->tokens[i];
        switch (t->kind) {
        case WS_LESS:
            if (i == 0 || (t[-1].kind != WS_IDENT && t[-1].kind != WS_VAR))
                break;
            if (!WS_GROW(m, stack, count, capacity))
                return false;
            stack[count++] = (pending){i, depth};
            break;
        case WS_GREATER:
            if (count > 0 && stack[count - 1].depth == depth) {
                m->tokens[stack[--count].token].flags |= WS_TEMPLATE_OPEN;
                t->flags |= WS_TEMPLATE_CLOSE;
            } else if (t[1].kind == WS_EQUAL && t[1].offset == t->offset + 1) {
                i++;
            }
            break;
        case WS_LPAREN:
        case WS_LBRACKET: depth++; break;
        case WS_RPAREN:
        case WS_RBRACKET:
            while (count > 0 && stack[count - 1].depth >= depth)
                count--;
            depth -= depth > 0;
            break;
        case WS_AND_AND:
        case WS_OR_OR:
            while (count > 0 && stack[count - 1].depth >= depth)
                count--;
            break;
        case WS_EQUAL:
        case WS_PLUS_EQUAL: case WS_MINUS_EQUAL: case WS_STAR_EQUAL: case WS_SLASH_EQUAL:
        case WS_PERCENT_EQUAL: case WS_AND_EQUAL: case WS_OR_EQUAL: case WS_CARET_EQUAL:
        case WS_SEMICOLON:
        case WS_LBRACE:
        case WS_COLON:
            count = 0;
            depth = 0;
            break;
        default: break;
        }
    }
    return true;
}

bool wgt_ws_lex(wgt_wgsl *m) {
    lexer l = {.m = m, .s = m->text.data, .n = m->text.size};
    bool ok = new_line(&l, 0);
    while (ok && l.at < l.n)
        ok = lex_one(&l);
    /* two ends, so that looking one token ahead is always in bounds */
    if (push(&l, WS_END, l.at, 0) == NULL || push(&l, WS_END, l.at, 0) == NULL)
        return false;
    m->token_count--;
    return (ok || m->foreign.size > 0) && find_templates(m);
}
