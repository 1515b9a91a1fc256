/* Expressions are compiled to a flat program for a stack of numbers, so that evaluation, which runs
 * once for each of up to a million candidates, neither recurses nor allocates.
 *
 * Precedence, loosest first; where Python and JavaScript agree it is theirs:
 *   || or
 *   && and
 *   not                       (Python: looser than a comparison)
 *   < <= > >= == !=           (chained as in Python: a < b < c is a < b && b < c, b evaluated once)
 *   + -
 *   * / %                     (% takes the sign of the divisor, as in Python)
 *   unary - + !
 *   **                        (right associative; -x ** 2 is -(x ** 2), x ** -1 is allowed)
 *   numbers, names, calls, parentheses
 * && and || do not evaluate what no longer matters. */
#include "expr.h"
#include "../base/number.h"

/* Parentheses count two levels (parse_or, parse_unary) and leave at most five numbers pending: a
 * left operand of each of the four binary levels and the least or largest argument so far. */
enum { DEPTH = 128, STACK = 3 * DEPTH + 8 };

typedef enum opcode {
    OP_NUMBER,
    OP_NAME,
    OP_NEGATE,
    OP_NOT,
    OP_TRUTH, /* any number to 1 or 0 */
    OP_AND,   /* when false: 0 and jump, else drop */
    OP_OR,    /* when true: 1 and jump, else drop */
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_POWER,
    OP_MIN,
    OP_MAX,
    OP_FLOOR,
    OP_CEIL,
    OP_LOG2,
    OP_ABS
} opcode;

typedef struct instruction {
    opcode code;
    bool chained;  /* of a comparison: leave the right operand, or 0 and jump */
    size_t offset; /* of the operator, function, number or name in the text */
    size_t target; /* of a jump */
    double number;
    wgt_str name;
} instruction;

struct wgt_expr {
    size_t count;
    instruction *program;
};

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_SIGN } token_kind;

typedef struct token {
    token_kind kind;
    size_t offset;
    wgt_str text;
    double number;
} token;

typedef struct parser {
    wgt_str text;
    token now;
    unsigned depth;
    size_t count;         /* instructions so far */
    instruction *program; /* NULL while they are only counted */
    wgt_status status;    /* of the first error; parsing then runs out quickly */
    size_t error_offset;
    wgt_error *error;
} parser;

WGT_PRINTF(3, 4)
static void bad(parser *p, size_t offset, const char *format, ...) {
    char message[256];
    if (p->status)
        return;
    va_list arguments;
    va_start(arguments, format);
    wgt_out out;
    wgt_out_init(&out, message, sizeof message);
    wgt_vputf(&out, format, arguments);
    va_end(arguments);
    p->status = wgt_fail(p->error, WGT_BAD_INPUT, "%s", message);
    p->error_offset = offset;
    p->now.kind = TOKEN_END;
    p->now.text.size = 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Bytes above ASCII belong to names: kernels may have names in any script. */
static bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static size_t name_size(wgt_str text, size_t at) {
    size_t end = at;
    while (end < text.size &&
           (starts_name(text.data[end]) || is_digit(text.data[end]) ||
            (text.data[end] == '.' && end + 1 < text.size && starts_name(text.data[end + 1]))))
        end++;
    return end - at;
}

/* The hexadecimal digits behind 0x; whole numbers up to 2^53, which a double holds. */
static size_t read_hex(parser *p, size_t at, double *number) {
    size_t end = at + 2;
    uint64_t value = 0;
    for (; end < p->text.size; end++) {
        char c = p->text.data[end];
        unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit == 16)
            break;
        value = value << 4 | digit;
        if (value > (uint64_t)1 << 53) {
            bad(p, at, "a hexadecimal number above 2^53");
            return 0;
        }
    }
    if (end == at + 2)
        bad(p, at, "0x wants hexadecimal digits");
    *number = (double)value;
    return end - at;
}

static void read_number(parser *p, size_t at) {
    wgt_str rest = {p->text.data + at, p->text.size - at};
    size_t size = wgt_str_starts(rest, "0x") || wgt_str_starts(rest, "0X")
                      ? read_hex(p, at, &p->now.number)
                      : wgt_number_parse(rest, &p->now.number);
    if (p->status)
        return;
    if (size < rest.size &&
        (starts_name(rest.data[size]) || is_digit(rest.data[size]) || rest.data[size] == '.')) {
        size_t end = size;
        while (end < rest.size &&
               (starts_name(rest.data[end]) || is_digit(rest.data[end]) || rest.data[end] == '.'))
            end++;
        bad(p, at, "'%.*s' is no number", (int)(end > 40 ? 40 : end), rest.data);
    } else if (!wgt_is_finite(p->now.number)) {
        bad(p, at, "a number beyond the range of a double");
    } else {
        p->now.kind = TOKEN_NUMBER;
        p->now.text = (wgt_str){rest.data, size};
    }
}

static size_t sign_size(wgt_str rest) {
    static const char *const signs[] = {"**", "<=", ">=", "==", "!=", "&&", "||", "<", ">",
                                        "+",  "-",  "*",  "/",  "%",  "!",  "(",  ")", ","};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (wgt_str_starts(rest, signs[i]))
            return wgt_str_from(signs[i]).size;
    return 0;
}

static void next(parser *p) {
    if (p->status)
        return;
    size_t at = p->now.offset + p->now.text.size;
    while (at < p->text.size && (p->text.data[at] == ' ' || p->text.data[at] == '\t' ||
                                 p->text.data[at] == '\n' || p->text.data[at] == '\r'))
        at++;
    p->now = (token){.kind = TOKEN_END, .offset = at, .text = {p->text.data + at, 0}};
    if (at >= p->text.size)
        return;
    wgt_str rest = {p->text.data + at, p->text.size - at};
    if (is_digit(rest.data[0])) {
        read_number(p, at);
    } else if (starts_name(rest.data[0])) {
        p->now.kind = TOKEN_NAME;
        p->now.text.size = name_size(p->text, at);
    } else if ((p->now.text.size = sign_size(rest)) != 0) {
        p->now.kind = TOKEN_SIGN;
    } else {
        unsigned char c = (unsigned char)rest.data[0];
        if (c > 0x20 && c < 0x7f)
            bad(p, at, "'%c' has no meaning in an expression", c);
        else
            bad(p, at, "byte 0x%02x has no meaning in an expression", c);
    }
}

static bool is_sign(const parser *p, const char *sign) {
    return p->now.kind == TOKEN_SIGN && wgt_str_is(p->now.text, sign);
}

static bool is_word(const parser *p, const char *word) {
    return p->now.kind == TOKEN_NAME && wgt_str_is(p->now.text, word);
}

/* Either an operator's sign or its word; moves on when it is there. */
static bool take(parser *p, const char *sign, const char *word) {
    if (!is_sign(p, sign) && !(word && is_word(p, word)))
        return false;
    next(p);
    return true;
}

static void expected(parser *p, const char *what) {
    if (p->now.kind == TOKEN_END)
        bad(p, p->now.offset, "expected %s, not the end", what);
    else
        bad(p, p->now.offset, "expected %s, not '%.*s'", what,
            (int)(p->now.text.size > 40 ? 40 : p->now.text.size), p->now.text.data);
}

static size_t emit(parser *p, instruction i) {
    if (p->program)
        p->program[p->count] = i;
    return p->count++;
}

static void emit_code(parser *p, opcode code, size_t offset) {
    emit(p, (instruction){.code = code, .offset = offset});
}

static void land_here(parser *p, size_t jump) {
    if (p->program)
        p->program[jump].target = p->count;
}

static bool enter(parser *p) {
    if (p->depth == DEPTH) {
        bad(p, p->now.offset, "nested too deep");
        return false;
    }
    p->depth++;
    return true;
}

static void parse_or(parser *p);
static void parse_unary(parser *p);

static const struct {
    const char *name;
    opcode code;
    bool many; /* any number of arguments from one on, taken pair by pair */
} functions[] = {
    {"floor", OP_FLOOR, false}, {"ceil", OP_CEIL, false}, {"log2", OP_LOG2, false},
    {"abs", OP_ABS, false},     {"min", OP_MIN, true},    {"max", OP_MAX, true},
};

static void parse_call(parser *p, token name) {
    size_t f = 0, count = sizeof functions / sizeof *functions;
    while (f < count && !wgt_str_is(name.text, functions[f].name))
        f++;
    if (f == count) {
        bad(p, name.offset, "no function '%.*s': floor, ceil, min, max, log2 and abs are known",
            (int)(name.text.size > 40 ? 40 : name.text.size), name.text.data);
        return;
    }
    next(p);
    parse_or(p);
    while (functions[f].many && take(p, ",", NULL)) {
        parse_or(p);
        emit_code(p, functions[f].code, name.offset);
    }
    if (!functions[f].many)
        emit_code(p, functions[f].code, name.offset);
    if (!take(p, ")", NULL))
        expected(p, functions[f].many ? "',' or ')'" : "')'");
}

static void parse_name(parser *p) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"true", 1}, {"True", 1}, {"false", 0}, {"False", 0}};
    token name = p->now;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (wgt_str_is(name.text, words[i].word)) {
            emit(p,
                 (instruction){.code = OP_NUMBER, .offset = name.offset, .number = words[i].value});
            next(p);
            return;
        }
    if (wgt_str_is(name.text, "and") || wgt_str_is(name.text, "or")) {
        expected(p, "a value");
        return;
    }
    next(p);
    if (is_sign(p, "("))
        parse_call(p, name);
    else
        emit(p, (instruction){.code = OP_NAME, .offset = name.offset, .name = name.text});
}

static void parse_primary(parser *p) {
    if (p->now.kind == TOKEN_NUMBER) {
        emit(p, (instruction){.code = OP_NUMBER, .offset = p->now.offset, .number = p->now.number});
        next(p);
    } else if (p->now.kind == TOKEN_NAME) {
        parse_name(p);
    } else if (take(p, "(", NULL)) {
        parse_or(p);
        if (!take(p, ")", NULL))
            expected(p, "')'");
    } else {
        expected(p, "a value");
    }
}

static void parse_power(parser *p) {
    parse_primary(p);
    size_t offset = p->now.offset;
    if (take(p, "**", NULL)) {
        parse_unary(p); /* which takes further powers: right associative */
        emit_code(p, OP_POWER, offset);
    }
}

static void parse_unary(parser *p) {
    size_t offset = p->now.offset;
    if (!enter(p))
        return;
    if (take(p, "-", NULL)) {
        parse_unary(p);
        emit_code(p, OP_NEGATE, offset);
    } else if (take(p, "!", NULL)) {
        parse_unary(p);
        emit_code(p, OP_NOT, offset);
    } else if (take(p, "+", NULL)) {
        parse_unary(p);
    } else {
        parse_power(p);
    }
    p->depth--;
}

typedef struct binary {
    const char *sign;
    opcode code;
} binary;

static const binary products[] = {{"*", OP_MULTIPLY}, {"/", OP_DIVIDE}, {"%", OP_MODULO}};
static const binary sums[] = {{"+", OP_ADD}, {"-", OP_SUBTRACT}};
static const binary comparisons[] = {{"<", OP_LESS},    {"<=", OP_LESS_EQUAL},
                                     {">", OP_GREATER}, {">=", OP_GREATER_EQUAL},
                                     {"==", OP_EQUAL},  {"!=", OP_NOT_EQUAL}};

/* The operator of a level that stands here, or NULL. */
static const binary *operator_here(const parser *p, const binary *level, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_sign(p, level[i].sign))
            return &level[i];
    return NULL;
}

static void parse_product(parser *p) {
    const binary *op;
    parse_unary(p);
    while ((op = operator_here(p, products, sizeof products / sizeof *products))) {
        size_t offset = p->now.offset;
        next(p);
        parse_unary(p);
        emit_code(p, op->code, offset);
    }
}

static void parse_sum(parser *p) {
    const binary *op;
    parse_product(p);
    while ((op = operator_here(p, sums, sizeof sums / sizeof *sums))) {
        size_t offset = p->now.offset;
        next(p);
        parse_product(p);
        emit_code(p, op->code, offset);
    }
}

/* All comparisons of a chain but the last leave their right operand for the next one. The jumps out
 * are threaded through their targets until the end is known. */
static void parse_comparison(parser *p) {
    const size_t none = SIZE_MAX;
    size_t last = none, pending = none, count = sizeof comparisons / sizeof *comparisons;
    const binary *op;
    parse_sum(p);
    while ((op = operator_here(p, comparisons, count))) {
        size_t offset = p->now.offset;
        if (p->program && last != none) {
            p->program[last].chained = true;
            p->program[last].target = pending;
            pending = last;
        }
        next(p);
        parse_sum(p);
        last = emit(p, (instruction){.code = op->code, .offset = offset});
    }
    while (pending != none) {
        size_t before = p->program[pending].target;
        land_here(p, pending);
        pending = before;
    }
}

static void parse_not(parser *p) {
    size_t offset = p->now.offset;
    if (!is_word(p, "not")) {
        parse_comparison(p);
        return;
    }
    if (!enter(p))
        return;
    next(p);
    parse_not(p);
    emit_code(p, OP_NOT, offset);
    p->depth--;
}

static void parse_and(parser *p) {
    parse_not(p);
    for (size_t offset = p->now.offset; take(p, "&&", "and"); offset = p->now.offset) {
        size_t jump = emit(p, (instruction){.code = OP_AND, .offset = offset});
        parse_not(p);
        emit_code(p, OP_TRUTH, offset);
        land_here(p, jump);
    }
}

static void parse_or(parser *p) {
    if (!enter(p))
        return;
    parse_and(p);
    for (size_t offset = p->now.offset; take(p, "||", "or"); offset = p->now.offset) {
        size_t jump = emit(p, (instruction){.code = OP_OR, .offset = offset});
        parse_and(p);
        emit_code(p, OP_TRUTH, offset);
        land_here(p, jump);
    }
    p->depth--;
}

static void parse_all(parser *p) {
    p->now = (token){.text = {p->text.data, 0}};
    p->count = 0;
    p->depth = 0;
    next(p);
    parse_or(p);
    if (!p->status && p->now.kind != TOKEN_END)
        expected(p, "an operator or the end");
}

wgt_status wgt_expr_parse(wgt_str text, wgt_arena *arena, wgt_expr **expr, size_t *error_offset,
                          wgt_error *error) {
    parser p = {.text = text, .error = error};
    parse_all(&p);
    if (p.status) {
        if (error_offset)
            *error_offset = p.error_offset;
        return p.status;
    }
    /* Names are views; those of a copy live as long as the program. */
    wgt_expr *made = WGT_NEW(arena, wgt_expr);
    p.program = WGT_NEW_ARRAY(arena, instruction, p.count);
    p.text = wgt_arena_copy(arena, text);
    if (!made || !p.program || !p.text.data)
        return wgt_fail(error, WGT_NO_MEMORY, "no memory left for an expression");
    parse_all(&p);
    made->program = p.program;
    made->count = p.count;
    *expr = made;
    return WGT_OK;
}

static double modulo(double a, double b) {
    double rest = wgt_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double apply(opcode code, double a, double b) {
    switch (code) {
    case OP_LESS:
        return a < b;
    case OP_LESS_EQUAL:
        return a <= b;
    case OP_GREATER:
        return a > b;
    case OP_GREATER_EQUAL:
        return a >= b;
    case OP_EQUAL:
        return a == b;
    case OP_NOT_EQUAL:
        return a != b;
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return a / b;
    case OP_MODULO:
        return modulo(a, b);
    case OP_POWER:
        return wgt_pow(a, b);
    case OP_MIN:
        return b < a ? b : a;
    default: /* OP_MAX */
        return b > a ? b : a;
    }
}

static double apply_one(opcode code, double a) {
    switch (code) {
    case OP_NEGATE:
        return -a;
    case OP_NOT:
        return a == 0;
    case OP_TRUTH:
        return a != 0;
    case OP_FLOOR:
        return wgt_floor(a);
    case OP_CEIL:
        return wgt_ceil(a);
    case OP_LOG2:
        return wgt_log2(a);
    default: /* OP_ABS */
        return wgt_abs(a);
    }
}

static bool is_unary(opcode code) {
    return code == OP_NEGATE || code == OP_NOT || code == OP_TRUTH || code >= OP_FLOOR;
}

static const char *why_not_finite(opcode code, double b) {
    switch (code) {
    case OP_DIVIDE:
        return b == 0 ? "division by zero" : "the quotient is too large";
    case OP_MODULO:
        return "division by zero";
    case OP_LOG2:
        return "log2 wants a number above 0";
    case OP_POWER:
        return "the power is no finite number";
    default:
        return "the result is too large";
    }
}

/* One instruction; returns the next one's index. *failed gets the reason, NULL when all is well. */
static size_t step(const wgt_expr *expr, size_t at, double *stack, size_t *size,
                   const char **failed) {
    const instruction *i = &expr->program[at];
    double *top = &stack[*size - 1];
    if (i->code == OP_AND || i->code == OP_OR) {
        bool truth = *top != 0;
        *top = truth;
        if (truth == (i->code == OP_OR))
            return i->target;
        --*size;
        return at + 1;
    }
    if (is_unary(i->code)) {
        *top = apply_one(i->code, *top);
        if (!wgt_is_finite(*top))
            *failed = why_not_finite(i->code, 0);
        return at + 1;
    }
    double b = *top, result = apply(i->code, top[-1], b);
    --*size;
    if (!wgt_is_finite(result))
        *failed = why_not_finite(i->code, b);
    top[-1] = i->chained && result != 0 ? b : result;
    return i->chained && result == 0 ? i->target : at + 1;
}

wgt_status wgt_expr_eval(const wgt_expr *expr, wgt_expr_lookup lookup, void *user, double *value,
                         size_t *error_offset, wgt_error *error) {
    double stack[STACK];
    size_t size = 0;
    for (size_t at = 0; at < expr->count;) {
        const instruction *i = &expr->program[at];
        const char *failed = NULL;
        if (i->code == OP_NUMBER) {
            stack[size++] = i->number;
            at++;
        } else if (i->code == OP_NAME) {
            if (!lookup || !lookup(user, i->name, &stack[size])) {
                if (error_offset)
                    *error_offset = i->offset;
                return wgt_fail(error, WGT_BAD_INPUT, "no value is named '%.*s'", (int)i->name.size,
                                i->name.data);
            }
            if (!wgt_is_finite(stack[size++]))
                failed = "the value of this name is no finite number";
            at++;
        } else {
            at = step(expr, at, stack, &size, &failed);
        }
        if (failed) {
            if (error_offset)
                *error_offset = i->offset;
            return wgt_fail(error, WGT_BAD_INPUT, "%s", failed);
        }
    }
    *value = stack[0];
    return WGT_OK;
}

void wgt_expr_names(const wgt_expr *expr, void (*visit)(void *user, wgt_str name), void *user) {
    for (size_t at = 0; at < expr->count; at++)
        if (expr->program[at].code == OP_NAME)
            visit(user, expr->program[at].name);
}
