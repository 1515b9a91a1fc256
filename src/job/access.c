#include "internal.h"

/* A walk over the tokens of a WGSL text that is known to parse: names, and single characters for
 * everything else. Comments are skipped. */
typedef struct walk {
    wgt_str code;
    size_t at;
} walk;

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static char peek(const walk *w, size_t ahead) {
    return w->at + ahead < w->code.size ? w->code.data[w->at + ahead] : '\0';
}

static void skip_block_comment(walk *w) {
    unsigned depth = 0;
    do {
        if (peek(w, 0) == '/' && peek(w, 1) == '*') {
            depth++;
            w->at += 2;
        } else if (peek(w, 0) == '*' && peek(w, 1) == '/') {
            depth--;
            w->at += 2;
        } else {
            w->at++;
        }
    } while (depth > 0 && w->at < w->code.size);
}

static void skip_space(walk *w) {
    while (w->at < w->code.size) {
        const char c = peek(w, 0);
        if (c == '/' && peek(w, 1) == '/') {
            while (w->at < w->code.size && peek(w, 0) != '\n') {
                w->at++;
            }
        } else if (c == '/' && peek(w, 1) == '*') {
            skip_block_comment(w);
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            w->at++;
        } else {
            return;
        }
    }
}

static wgt_str token(walk *w) {
    skip_space(w);
    const size_t start = w->at;
    if (w->at < w->code.size) {
        w->at++;
        if (is_name_char(w->code.data[start])) {
            while (w->at < w->code.size && is_name_char(peek(w, 0))) {
                w->at++;
            }
        }
    }
    return (wgt_str){w->code.data + start, w->at - start};
}

static void skip_brackets(walk *w, const char *open, const char *close) {
    unsigned depth = 1;
    while (depth > 0) {
        const wgt_str t = token(w);
        if (t.size == 0) {
            return;
        }
        depth += wgt_str_is(t, open) ? 1U : 0U;
        depth -= wgt_str_is(t, close) ? 1U : 0U;
    }
}

typedef enum use { USE_READ = 1, USE_WRITE = 2 } use;

/* What follows `name`, `name[i]`, `name.member...`: a plain assignment writes, a compound one does both,
 * everything else reads. */
static unsigned use_after(walk w) {
    for (;;) {
        skip_space(&w);
        const char c = peek(&w, 0), next = peek(&w, 1), third = peek(&w, 2);
        if (c == '[') {
            w.at++;
            skip_brackets(&w, "[", "]");
        } else if (c == '.') {
            w.at++;
            (void)token(&w);
        } else if (c == '=' && next != '=') {
            return USE_WRITE;
        } else if (c == ')') {
            w.at++; /* (name)[i] = ... */
        } else {
            const bool compound = (c == '+' || c == '-' || c == '*' || c == '/' || c == '%' || c == '&' ||
                                   c == '|' || c == '^') && next == '=';
            const bool shift = (c == '<' || c == '>') && next == c && third == '=';
            const bool step = (c == '+' || c == '-') && next == c;
            return compound || shift || step ? USE_READ | USE_WRITE : USE_READ;
        }
    }
}

/* `call(&name`: what the built-in does with the pointer; both for anything else. */
static unsigned use_of_pointer(wgt_str call) {
    static const struct {
        const char *name;
        unsigned uses;
    } calls[] = {{"arrayLength", 0}, {"atomicLoad", USE_READ}, {"atomicStore", USE_WRITE}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (wgt_str_is(call, calls[i].name)) {
            return calls[i].uses;
        }
    }
    return USE_READ | USE_WRITE;
}

/* `let name`, `name: type` and the like make a name, they do not use it. */
static bool is_declared_here(wgt_str before, walk after) {
    static const char *const words[] = {"let", "var", "const", "fn", "struct", "override", NULL};
    for (size_t i = 0; words[i] != NULL; i++) {
        if (wgt_str_is(before, words[i])) {
            return true;
        }
    }
    skip_space(&after);
    return peek(&after, 0) == ':';
}

void wgt_job_access(wgt_str code, wgt_str variable, bool *reads, bool *writes) {
    walk w = {code, 0};
    wgt_str last[3] = {{"", 0}, {"", 0}, {"", 0}}; /* the tokens before, latest first */
    unsigned uses = 0;
    for (wgt_str t = token(&w); t.size > 0; t = token(&w)) {
        if (wgt_str_equal(t, variable) && !wgt_str_is(last[0], ".") && !is_declared_here(last[0], w)) {
            const bool pointer = wgt_str_is(last[0], "&") && wgt_str_is(last[1], "(");
            if (pointer) {
                uses |= use_of_pointer(last[2]);
            } else {
                uses |= wgt_str_is(last[0], "&") ? USE_READ | USE_WRITE : use_after(w);
            }
        }
        last[2] = last[1];
        last[1] = last[0];
        last[0] = t;
    }
    *reads = (uses & USE_READ) != 0;
    *writes = (uses & USE_WRITE) != 0;
}
