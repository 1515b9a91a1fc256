#include "internal.h"
#include <string.h>

wgt_status wgt_job_no_memory(wgt_error *error) {
    return wgt_fail(error, WGT_NO_MEMORY, "no memory for the job");
}

static wgt_status fail_offset(const wgt_job *job, size_t offset, wgt_error *error, const char *format,
                              va_list arguments) {
    char message[WGT_ERROR_SIZE];
    wgt_out out;
    wgt_out_init(&out, message, sizeof message);
    wgt_vputf(&out, format, arguments);
    return wgt_fail_at(error, WGT_BAD_INPUT, job->name, job->text, offset, "%s", message);
}

wgt_status wgt_job_fail(const wgt_job *job, const wgt_json *node, wgt_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const wgt_status status = fail_offset(job, node->offset, error, format, arguments);
    va_end(arguments);
    return status;
}

wgt_status wgt_job_fail_key(const wgt_job *job, const wgt_json *node, wgt_error *error, const char *format,
                            ...) {
    va_list arguments;
    va_start(arguments, format);
    const wgt_status status = fail_offset(job, node->key_offset, error, format, arguments);
    va_end(arguments);
    return status;
}

void wgt_nearest_try(wgt_nearest *nearest, wgt_str wanted, wgt_str name) {
    const unsigned distance = wgt_str_distance(wanted, name);
    const size_t shorter = wanted.size < name.size ? wanted.size : name.size;
    const bool near = distance <= 1 + shorter / 3 && distance < name.size;
    if (near && (nearest->name.data == NULL || distance < nearest->distance)) {
        nearest->name = name;
        nearest->distance = distance;
    }
}

static void put_list(wgt_out *out, const char *const *words) {
    for (size_t i = 0; words[i] != NULL; i++) {
        wgt_putf(out, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
}

static void put_nearest(wgt_out *out, wgt_str wanted, const char *const *words) {
    wgt_nearest nearest = {{NULL, 0}, 0};
    for (size_t i = 0; words[i] != NULL; i++) {
        wgt_nearest_try(&nearest, wanted, wgt_str_from(words[i]));
    }
    if (nearest.name.data != NULL) {
        wgt_putf(out, "; did you mean \"%.*s\"?", (int)nearest.name.size, nearest.name.data);
    }
}

static bool has_word(const char *const *words, wgt_str name, size_t *index) {
    for (*index = 0; words[*index] != NULL; (*index)++) {
        if (wgt_str_is(name, words[*index])) {
            return true;
        }
    }
    return false;
}

wgt_status wgt_job_keys(const wgt_job *job, const wgt_json *object, const char *const *allowed,
                        wgt_error *error) {
    for (const wgt_json *m = object->first; m != NULL; m = m->next) {
        size_t index = 0;
        if (!has_word(allowed, m->key, &index)) {
            char list[512];
            wgt_out out;
            wgt_out_init(&out, list, sizeof list);
            put_list(&out, allowed);
            put_nearest(&out, m->key, allowed);
            return wgt_job_fail_key(job, m, error, "unknown key \"%.*s\", allowed: %s", (int)m->key.size,
                                    m->key.data, list);
        }
    }
    return WGT_OK;
}

wgt_status wgt_job_type(const wgt_job *job, const wgt_json *node, wgt_json_type type, wgt_error *error) {
    if (node->type == type) {
        return WGT_OK;
    }
    if (node->key.size == 0) {
        return wgt_job_fail(job, node, error, "%s is wanted, not %s", wgt_json_type_name(type),
                            wgt_json_type_name(node->type));
    }
    return wgt_job_fail(job, node, error, "\"%.*s\" is %s, not %s", (int)node->key.size, node->key.data,
                        wgt_json_type_name(node->type), wgt_json_type_name(type));
}

wgt_status wgt_job_word(const wgt_job *job, const wgt_json *node, const char *const *words, size_t *index,
                        wgt_error *error) {
    if (node->type == WGT_JSON_STRING && has_word(words, node->string, index)) {
        return WGT_OK;
    }
    *index = 0; /* callers look the word up before they look at the status */
    char list[512];
    wgt_out out;
    wgt_out_init(&out, list, sizeof list);
    put_list(&out, words);
    if (node->type != WGT_JSON_STRING) {
        return wgt_job_fail(job, node, error, "a word is wanted, not %s; allowed: %s",
                            wgt_json_type_name(node->type), list);
    }
    put_nearest(&out, node->string, words);
    return wgt_job_fail(job, node, error, "unknown word \"%.*s\", allowed: %s", (int)node->string.size,
                        node->string.data, list);
}

static bool lookup_problem(const wgt_job *job, wgt_str name, double *value) {
    for (size_t i = 0; i < job->problem_count; i++) {
        if (wgt_str_equal(job->problem[i].name, name)) {
            *value = job->problem[i].value;
            return true;
        }
    }
    return false;
}

/* An override that the job does not vary has its default under the values of this candidate. */
static bool lookup_override(const wgt_scope *scope, wgt_str name, double *value) {
    const wgt_job *job = scope->job;
    const wgt_wgsl_override *overrides = NULL;
    const size_t count = wgt_wgsl_overrides(job->module, &overrides);
    for (size_t i = 0; i < count; i++) {
        if (wgt_str_equal(overrides[i].name, name)) {
            wgt_wgsl_value values[WGT_MAX_CONSTANTS];
            for (size_t c = 0; c < job->constant_count; c++) {
                values[c].name = job->constants[c].name;
                values[c].value = scope->constants[c];
            }
            return wgt_wgsl_override_default(job->module, i, values, job->constant_count, value, NULL) ==
                       WGT_OK &&
                   !wgt_is_nan(*value);
        }
    }
    return false;
}

bool wgt_scope_lookup(void *user, wgt_str name, double *value) {
    const wgt_scope *scope = user;
    if (lookup_problem(scope->job, name, value)) {
        return true;
    }
    if (scope->limits != NULL && wgt_str_starts(name, "limits.")) {
        wgt_limits limits = *scope->limits;
        const uint64_t *limit = wgt_limit_by_name(&limits, (wgt_str){name.data + 7, name.size - 7});
        *value = limit == NULL ? 0 : (double)*limit;
        return limit != NULL;
    }
    if (scope->constants == NULL) {
        return false;
    }
    for (size_t i = 0; i < scope->job->constant_count; i++) {
        if (wgt_str_equal(scope->job->constants[i].name, name)) {
            *value = scope->constants[i];
            return true;
        }
    }
    return lookup_override(scope, name, value);
}

static wgt_status parse_expr(wgt_job *job, const wgt_json *node, wgt_expr **expr, wgt_error *error) {
    size_t at = 0;
    wgt_error inner = {{0}};
    const wgt_status status = wgt_expr_parse(node->string, &job->arena, expr, &at, &inner);
    if (status == WGT_BAD_INPUT) {
        return wgt_fail_at(error, status, job->name, job->text, node->offset + 1 + at, "%s", inner.message);
    }
    return status == WGT_OK ? status : wgt_fail(error, status, "%s", inner.message);
}

static wgt_status eval_at(const wgt_job *job, const wgt_json *node, const wgt_expr *expr,
                          const wgt_scope *scope, double *value, wgt_error *error) {
    size_t at = 0;
    wgt_error inner = {{0}};
    wgt_scope copy = *scope;
    const wgt_status status = wgt_expr_eval(expr, wgt_scope_lookup, &copy, value, &at, &inner);
    if (status == WGT_BAD_INPUT) {
        return wgt_fail_at(error, status, job->name, job->text, node->offset + 1 + at, "%s", inner.message);
    }
    return status == WGT_OK ? status : wgt_fail(error, status, "%s", inner.message);
}

wgt_status wgt_job_number(wgt_job *job, const wgt_json *node, const wgt_scope *scope, double *value,
                          wgt_error *error) {
    if (node->type == WGT_JSON_NUMBER) {
        *value = node->number;
        return wgt_is_finite(*value) ? WGT_OK : wgt_job_fail(job, node, error, "the number is too large");
    }
    if (node->type != WGT_JSON_STRING) {
        return wgt_job_fail(job, node, error, "a number or an expression is wanted, not %s",
                            wgt_json_type_name(node->type));
    }
    wgt_expr *expr = NULL;
    const wgt_status status = parse_expr(job, node, &expr, error);
    return status == WGT_OK ? eval_at(job, node, expr, scope, value, error) : status;
}

wgt_status wgt_job_whole(wgt_job *job, const wgt_json *node, uint64_t low, uint64_t high,
                         uint64_t *value, wgt_error *error) {
    const wgt_scope scope = {job, NULL, NULL};
    double number = 0;
    const wgt_status status = wgt_job_number(job, node, &scope, &number, error);
    if (status != WGT_OK) {
        return status;
    }
    if (!(number >= (double)low && number <= (double)high) || number != wgt_floor(number)) {
        return wgt_job_fail(job, node, error, "%g is no whole number from %llu to %llu", number,
                            (unsigned long long)low, (unsigned long long)high);
    }
    *value = (uint64_t)number;
    return WGT_OK;
}

typedef struct name_check {
    const wgt_job *job;
    bool constants, limits;
    wgt_str unknown;
    wgt_nearest nearest;
} name_check;

static bool known_limit(wgt_str name) {
    wgt_limits limits;
    memset(&limits, 0, sizeof limits);
    return wgt_limit_by_name(&limits, name) != NULL;
}

static void check_name(void *user, wgt_str name) {
    name_check *c = user;
    bool known = c->limits && wgt_str_starts(name, "limits.") &&
                 known_limit((wgt_str){name.data + 7, name.size - 7});
    wgt_nearest nearest = {{NULL, 0}, 0};
    for (size_t i = 0; i < c->job->problem_count; i++) {
        known = known || wgt_str_equal(c->job->problem[i].name, name);
        wgt_nearest_try(&nearest, name, c->job->problem[i].name);
    }
    const wgt_wgsl_override *overrides = NULL;
    const size_t count = c->constants ? wgt_wgsl_overrides(c->job->module, &overrides) : 0;
    for (size_t i = 0; i < count; i++) {
        known = known || wgt_str_equal(overrides[i].name, name);
        wgt_nearest_try(&nearest, name, overrides[i].name);
    }
    if (!known && c->unknown.data == NULL) {
        c->unknown = name;
        c->nearest = nearest;
    }
}

/* Where a name stands in an expression. */
static size_t place_of(wgt_str text, wgt_str name) {
    for (size_t i = 0; i + name.size <= text.size; i++) {
        if (memcmp(text.data + i, name.data, name.size) == 0) {
            return i;
        }
    }
    return 0;
}

wgt_status wgt_job_expr(wgt_job *job, const wgt_json *node, bool constants, bool limits, wgt_text_expr *result,
                        wgt_error *error) {
    result->node = node;
    wgt_json *text = NULL;
    if (node->type == WGT_JSON_NUMBER) { /* kept as an expression like any other */
        text = WGT_NEW(&job->arena, wgt_json);
        if (text == NULL) {
            return wgt_job_no_memory(error);
        }
        *text = *node;
        text->type = WGT_JSON_STRING;
    } else if (node->type != WGT_JSON_STRING) {
        return wgt_job_fail(job, node, error, "a number or an expression is wanted, not %s",
                            wgt_json_type_name(node->type));
    }
    const wgt_status status = parse_expr(job, text != NULL ? text : node, &result->expr, error);
    if (status != WGT_OK) {
        return status;
    }
    name_check c = {job, constants, limits, {NULL, 0}, {{NULL, 0}, 0}};
    wgt_expr_names(result->expr, check_name, &c);
    if (c.unknown.data == NULL) {
        return WGT_OK;
    }
    const wgt_str near = c.nearest.name;
    const size_t at = node->offset + 1 + place_of(node->string, c.unknown);
    return wgt_fail_at(error, WGT_BAD_INPUT, job->name, job->text, at, "unknown name \"%.*s\"; known: the problem's%s%s%s%.*s%s",
                        (int)c.unknown.size, c.unknown.data, constants ? ", the kernel's overrides" : "",
                        limits ? ", limits.*" : "", near.data != NULL ? "; did you mean \"" : "",
                        (int)near.size, near.data != NULL ? near.data : "", near.data != NULL ? "\"?" : "");
}
