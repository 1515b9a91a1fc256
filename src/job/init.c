#include "internal.h"

/* What a description says of one part; the table below has a row for each way. */
typedef struct reading {
    wgt_job *job;
    const wgt_json *node;  /* the description */
    const wgt_json *value; /* of the initialiser's own key */
    wgt_part *part;
    bool fixed;            /* the type has the count */
    wgt_error *error;
} reading;

#define MAX_ELEMENTS ((uint64_t)1 << 40)

static const char *const random_words[] = {"uniform", "normal", "clustered", "one-cell", NULL};
static const wgt_init_kind random_kinds[] = {WGT_INIT_UNIFORM, WGT_INIT_NORMAL, WGT_INIT_CLUSTERED,
                                             WGT_INIT_ONE_CELL};

static wgt_status set_count(const reading *r, const wgt_json *node, uint64_t count) {
    if (r->fixed && count != r->part->count) {
        return wgt_job_fail(r->job, node, r->error, "%llu elements, but the type has %llu",
                            (unsigned long long)count, (unsigned long long)r->part->count);
    }
    if (count == 0) {
        return wgt_job_fail(r->job, node, r->error, "0 elements: a binding has at least one");
    }
    r->part->count = count;
    return WGT_OK;
}

/* The member "count", or the value of `zero` and `range`; needed where the type has none. */
static wgt_status read_count(const reading *r, const wgt_json *node) {
    if (node == NULL) {
        return r->fixed ? WGT_OK
                        : wgt_job_fail(r->job, r->node, r->error,
                                       "\"count\" is missing: how many elements the array has");
    }
    uint64_t count = 0;
    const wgt_status status = wgt_job_whole(r->job, node, 1, MAX_ELEMENTS, &count, r->error);
    return status == WGT_OK ? set_count(r, node, count) : status;
}

static wgt_status need_scalars(const reading *r) {
    if (r->part->slot_count > 0) {
        return WGT_OK;
    }
    return wgt_job_fail(r->job, r->node, r->error,
                        "the elements are no plain numbers: use \"fields\", \"zero\" or \"file\"");
}

static void scalar_range(wgt_scalar scalar, double *low, double *high) {
    *low = scalar == WGT_SCALAR_U32 ? 0 : scalar == WGT_SCALAR_I32 ? -0x1p31 : -0x1.fffffep127;
    *high = scalar == WGT_SCALAR_U32 ? 0x1p32 - 1 : scalar == WGT_SCALAR_I32 ? 0x1p31 - 1 : 0x1.fffffep127;
    if (scalar == WGT_SCALAR_F16) {
        *low = -65504;
        *high = 65504;
    }
}

static wgt_status check_value(const reading *r, const wgt_json *node, wgt_scalar scalar, double value) {
    const bool whole = scalar == WGT_SCALAR_U32 || scalar == WGT_SCALAR_I32;
    double low = 0, high = 0;
    scalar_range(scalar, &low, &high);
    if (value < low || value > high || (whole && value != wgt_floor(value))) {
        return wgt_job_fail(r->job, node, r->error, "%g does not fit a %s", value, wgt_scalar_name(scalar));
    }
    return WGT_OK;
}

static wgt_status read_scalar(const reading *r, const wgt_json *node, wgt_scalar scalar, double *value) {
    const wgt_scope scope = {r->job, NULL, NULL};
    const wgt_status status = wgt_job_number(r->job, node, &scope, value, r->error);
    return status == WGT_OK ? check_value(r, node, scalar, *value) : status;
}

/* One number for all scalars of an element, or a list with one for each. `high` is exclusive, so it may
 * be one above what fits. */
static wgt_status read_each(const reading *r, const char *key, double fallback, bool exclusive,
                            const double **result) {
    const wgt_json *node = wgt_json_get(r->node, key);
    const wgt_part *part = r->part;
    double *values = WGT_NEW_ARRAY(&r->job->arena, double, part->slot_count);
    if (values == NULL) {
        return wgt_job_no_memory(r->error);
    }
    if (node != NULL && node->type == WGT_JSON_ARRAY && node->count != part->slot_count) {
        return wgt_job_fail(r->job, node, r->error, "%zu numbers, but an element has %u", node->count,
                            part->slot_count);
    }
    const wgt_json *item = node != NULL && node->type == WGT_JSON_ARRAY ? node->first : node;
    for (uint32_t i = 0; i < part->slot_count; i++) {
        values[i] = fallback;
        if (item != NULL) {
            const wgt_scope scope = {r->job, NULL, NULL};
            wgt_status status = wgt_job_number(r->job, item, &scope, &values[i], r->error);
            const bool whole = part->scalar == WGT_SCALAR_U32 || part->scalar == WGT_SCALAR_I32;
            const double down = exclusive && whole ? 1 : 0;
            status = status == WGT_OK ? check_value(r, item, part->scalar, values[i] - down) : status;
            if (status != WGT_OK) {
                return status;
            }
            item = node->type == WGT_JSON_ARRAY ? item->next : item;
        }
    }
    *result = values;
    return WGT_OK;
}

static wgt_status read_box(const reading *r) {
    double low = 0, high = 0;
    scalar_range(r->part->scalar, &low, &high);
    const bool real = r->part->scalar == WGT_SCALAR_F32 || r->part->scalar == WGT_SCALAR_F16;
    wgt_status status = read_each(r, "min", real ? 0 : low, false, &r->part->init.low);
    status = status == WGT_OK ? read_each(r, "max", real ? 1 : high + 1, true, &r->part->init.high) : status;
    for (uint32_t i = 0; status == WGT_OK && i < r->part->slot_count; i++) {
        if (!(r->part->init.low[i] < r->part->init.high[i])) {
            return wgt_job_fail(r->job, r->node, r->error, "\"min\" %g is not below \"max\" %g",
                                r->part->init.low[i], r->part->init.high[i]);
        }
    }
    return status;
}

static wgt_status read_real(const reading *r, const char *key, double fallback, double *value) {
    const wgt_json *node = wgt_json_get(r->node, key);
    const wgt_scope scope = {r->job, NULL, NULL};
    *value = fallback;
    return node == NULL ? WGT_OK : wgt_job_number(r->job, node, &scope, value, r->error);
}

static wgt_status need_real(const reading *r) {
    if (r->part->scalar == WGT_SCALAR_F32 || r->part->scalar == WGT_SCALAR_F16) {
        return WGT_OK;
    }
    return wgt_job_fail(r->job, r->value, r->error,
                        "\"%.*s\" makes real numbers, the elements are %s: use \"uniform\" or \"one-cell\"",
                        (int)r->value->string.size, r->value->string.data, wgt_scalar_name(r->part->scalar));
}

static wgt_status read_normal(const reading *r) {
    wgt_status status = need_real(r);
    status = status == WGT_OK ? read_real(r, "mean", 0, &r->part->init.mean) : status;
    return status == WGT_OK ? read_real(r, "sigma", 1, &r->part->init.sigma) : status;
}

static wgt_status read_clustered(const reading *r) {
    uint64_t clusters = 16;
    const wgt_json *node = wgt_json_get(r->node, "clusters");
    wgt_status status = need_real(r);
    status = status == WGT_OK ? read_box(r) : status;
    if (status == WGT_OK && node != NULL) {
        status = wgt_job_whole(r->job, node, 1, WGT_JOB_MAX_CLUSTERS, &clusters, r->error);
    }
    r->part->init.clusters = (uint32_t)clusters;
    return status == WGT_OK ? read_real(r, "sigma", 0.01, &r->part->init.sigma) : status;
}

/* "at", else the middle of the box. */
static wgt_status read_one_cell(const reading *r) {
    wgt_init *init = &r->part->init;
    if (wgt_json_get(r->node, "at") != NULL) {
        return read_each(r, "at", 0, false, &init->values);
    }
    const wgt_status status = read_box(r);
    double *middle = WGT_NEW_ARRAY(&r->job->arena, double, r->part->slot_count);
    if (status != WGT_OK || middle == NULL) {
        return status != WGT_OK ? status : wgt_job_no_memory(r->error);
    }
    const bool whole = r->part->scalar == WGT_SCALAR_U32 || r->part->scalar == WGT_SCALAR_I32;
    for (uint32_t i = 0; i < r->part->slot_count; i++) {
        middle[i] = init->low[i] + (init->high[i] - init->low[i]) / 2;
        middle[i] = whole ? wgt_floor(middle[i]) : middle[i];
    }
    init->values = middle;
    return WGT_OK;
}

static const char *const common_keys[] = {"random", "count", "seed", "output", "reset"};
static const char *const random_keys[][5] = {
    {"min", "max", NULL, NULL, NULL},
    {"mean", "sigma", NULL, NULL, NULL},
    {"min", "max", "clusters", "sigma", NULL},
    {"min", "max", "at", NULL, NULL},
};

static wgt_status random_key_check(const reading *r, size_t word) {
    const char *allowed[16] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof common_keys / sizeof *common_keys; i++) {
        allowed[count++] = common_keys[i];
    }
    for (size_t i = 0; random_keys[word][i] != NULL; i++) {
        allowed[count++] = random_keys[word][i];
    }
    return wgt_job_keys(r->job, r->node, allowed, r->error);
}

static wgt_status read_random(const reading *r) {
    static wgt_status (*const readers[])(const reading *) = {read_box, read_normal, read_clustered,
                                                             read_one_cell};
    size_t word = 0;
    wgt_status status = wgt_job_word(r->job, r->value, random_words, &word, r->error);
    status = status == WGT_OK ? random_key_check(r, word) : status;
    status = status == WGT_OK ? need_scalars(r) : status;
    status = status == WGT_OK ? read_count(r, wgt_json_get(r->node, "count")) : status;
    r->part->init.kind = random_kinds[word];
    const wgt_json *seed = wgt_json_get(r->node, "seed");
    r->part->init.seed = 1;
    if (status == WGT_OK && seed != NULL) {
        status = wgt_job_whole(r->job, seed, 0, (uint64_t)1 << 53, &r->part->init.seed, r->error);
    }
    return status == WGT_OK ? readers[word](r) : status;
}

/* `true` where the type has the count. */
static wgt_status read_zero(const reading *r) {
    r->part->init.kind = WGT_INIT_ZERO;
    if (r->value->type == WGT_JSON_BOOL && r->value->boolean) {
        return r->fixed ? WGT_OK
                        : wgt_job_fail(r->job, r->value, r->error,
                                       "how many elements? The array's length is not in its type");
    }
    return read_count(r, r->value);
}

static wgt_status read_values(const reading *r) {
    wgt_init *init = &r->part->init;
    wgt_status status = need_scalars(r);
    const bool list = r->value->type == WGT_JSON_ARRAY;
    const size_t count = list ? r->value->count : 1;
    const uint32_t per_element = r->part->slot_count;
    if (status == WGT_OK && (count == 0 || count % per_element != 0)) {
        return wgt_job_fail(r->job, r->value, r->error, "%zu numbers, but an element has %u", count,
                            per_element);
    }
    const bool once = r->part->in_each && count == per_element; /* the same for each struct */
    status = status == WGT_OK && !once ? set_count(r, r->value, count / per_element) : status;
    double *values = WGT_NEW_ARRAY(&r->job->arena, double, count);
    if (status != WGT_OK || values == NULL) {
        return status != WGT_OK ? status : wgt_job_no_memory(r->error);
    }
    const wgt_json *item = list ? r->value->first : r->value;
    for (size_t i = 0; status == WGT_OK && i < count; i++) {
        status = read_scalar(r, item, r->part->slots[i % per_element].scalar, &values[i]);
        item = item->next;
    }
    init->kind = WGT_INIT_VALUES;
    init->values = values;
    init->value_count = count;
    return status;
}

static wgt_status read_range(const reading *r) {
    wgt_init *init = &r->part->init;
    init->kind = WGT_INIT_RANGE;
    wgt_status status = need_scalars(r);
    status = status == WGT_OK ? read_count(r, r->value) : status;
    status = status == WGT_OK ? read_real(r, "start", 0, &init->start) : status;
    status = status == WGT_OK ? read_real(r, "step", 1, &init->step) : status;
    if (status != WGT_OK) {
        return status;
    }
    const double last = (double)(r->part->count * r->part->slot_count - 1);
    const double second = last > 0 ? init->start + init->step : init->start;
    status = check_value(r, r->value, r->part->scalar, init->start);
    status = status == WGT_OK ? check_value(r, r->value, r->part->scalar, second) : status;
    return status == WGT_OK ? check_value(r, r->value, r->part->scalar, init->start + last * init->step)
                            : status;
}

/* "points.f32": the ending says what the scalars are. */
static wgt_status check_ending(const wgt_job *job, const wgt_json *node, wgt_scalar wanted, wgt_error *error) {
    const wgt_str name = node->string;
    size_t dot = name.size;
    while (dot > 0 && name.data[dot - 1] != '.' && name.data[dot - 1] != '/') {
        dot--;
    }
    const wgt_scalar scalar = wgt_scalar_from((wgt_str){name.data + dot, name.size - dot});
    if (scalar == WGT_SCALAR_NONE) {
        return wgt_job_fail(job, node, error,
                            "a file's name ends in .npy, .csv or .tsv, or in .f32, .u32, .i32 or .f16, which says what raw "
                            "scalars it holds");
    }
    if (wanted != WGT_SCALAR_NONE && wanted != scalar) {
        return wgt_job_fail(job, node, error, "a file of %s, but the elements are %s", wgt_scalar_name(scalar),
                            wgt_scalar_name(wanted));
    }
    return WGT_OK;
}

wgt_status wgt_job_read_scalars(wgt_job *job, const wgt_json *node, const wgt_json *columns,
                                wgt_scalar scalar, wgt_str *packed, wgt_error *error) {
    wgt_status status = wgt_job_type(job, node, WGT_JSON_STRING, error);
    const bool plain = status == WGT_OK && scalar != WGT_SCALAR_NONE;
    const bool numpy = plain && wgt_str_ends(node->string, ".npy");
    status = status == WGT_OK && !numpy && columns == NULL ? check_ending(job, node, scalar, error) : status;
    if (status != WGT_OK) {
        return status;
    }
    wgt_error inner = {{0}};
    status = wgt_job_read_file(job, node->string, packed, &inner);
    if (status == WGT_OK && numpy) {
        status = wgt_npy_read(&job->arena, *packed, scalar, packed, &inner);
    } else if (status == WGT_OK && columns != NULL) {
        const char separator = wgt_str_ends(node->string, ".tsv") ? '\t' : ',';
        status = wgt_csv_read(&job->arena, *packed, separator, columns, scalar, packed, &inner);
    }
    if (status == WGT_BAD_INPUT) {
        return wgt_job_fail(job, node, error, "%s", inner.message);
    }
    return status == WGT_OK ? status : wgt_fail(error, status, "%s", inner.message);
}

/* "columns" goes with a table, and only with it: as many as an element has scalars, all names or all
 * numbers. */
static wgt_status check_columns(const reading *r, const wgt_json *columns) {
    const bool text = r->value->type == WGT_JSON_STRING;
    const bool is_table = text && (wgt_str_ends(r->value->string, ".csv") || wgt_str_ends(r->value->string, ".tsv"));
    if (columns == NULL || !is_table) {
        return columns != NULL ? wgt_job_fail_key(r->job, columns, r->error, "columns are those of a .csv or .tsv file")
               : is_table ? wgt_job_fail(r->job, r->node, r->error,
                                         "\"columns\" is missing: names of the header, or numbers from 1")
                          : WGT_OK;
    }
    wgt_status status = need_scalars(r);
    status = status == WGT_OK ? wgt_job_type(r->job, columns, WGT_JSON_ARRAY, r->error) : status;
    if (status == WGT_OK && columns->count != r->part->slot_count) {
        return wgt_job_fail(r->job, columns, r->error, "%zu columns, but an element has %u numbers", columns->count,
                            r->part->slot_count);
    }
    for (const wgt_json *c = columns->first; status == WGT_OK && c != NULL; c = c->next) {
        uint64_t number = 0;
        const bool named = columns->first->type == WGT_JSON_STRING;
        status = named ? wgt_job_type(r->job, c, WGT_JSON_STRING, r->error)
                       : wgt_job_type(r->job, c, WGT_JSON_NUMBER, r->error);
        status = status == WGT_OK && !named ? wgt_job_whole(r->job, c, 1, 65536, &number, r->error) : status;
    }
    return status;
}

/* Elements that are no plain numbers come with their padding, stride by stride. */
static wgt_status read_file(const reading *r) {
    wgt_init *init = &r->part->init;
    const wgt_json *columns = wgt_json_get(r->node, "columns");
    wgt_status status = check_columns(r, columns);
    if (status != WGT_OK) {
        return status;
    }
    status = wgt_job_read_scalars(r->job, r->value, columns, r->part->scalar, &init->bytes, r->error);
    if (status != WGT_OK) {
        return status;
    }
    const uint64_t element =
        r->part->slot_count > 0 ? (uint64_t)r->part->slot_count * wgt_scalar_size(r->part->scalar)
                                : r->part->stride;
    const uint64_t count = init->bytes.size / element;
    init->kind = WGT_INIT_FILE;
    init->file = r->value->string;
    if (init->bytes.size % element != 0) {
        return wgt_job_fail(r->job, r->value, r->error, "%zu bytes are no whole number of elements of %llu bytes",
                            init->bytes.size, (unsigned long long)element);
    }
    const wgt_json *wanted = wgt_json_get(r->node, "count");
    if (wanted == NULL) {
        return set_count(r, r->value, count);
    }
    status = read_count(r, wanted);
    if (status == WGT_OK && r->part->count > count) {
        return wgt_job_fail(r->job, r->value, r->error, "the file has %llu elements, %llu are wanted",
                            (unsigned long long)count, (unsigned long long)r->part->count);
    }
    return status;
}

#define MAX_KEYS 8

static const struct {
    const char *key;
    wgt_status (*read)(const reading *r);
    const char *allowed[MAX_KEYS];
} ways[] = {
    /* What `random` allows depends on its word. */
    {"random", read_random, {NULL}},
    {"zero", read_zero, {"zero", "output", "reset", NULL}},
    {"values", read_values, {"values", "output", "reset", NULL}},
    {"range", read_range, {"range", "start", "step", "output", "reset", NULL}},
    {"file", read_file, {"file", "columns", "type", "count", "output", "reset", NULL}},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

/* "type" only says again what the kernel says; it is there for readers and is checked. */
static wgt_status check_type(const reading *r, wgt_str element) {
    const wgt_json *node = wgt_json_get(r->node, "type");
    if (node == NULL) {
        return WGT_OK;
    }
    wgt_status status = wgt_job_type(r->job, node, WGT_JSON_STRING, r->error);
    wgt_slot *slots = WGT_NEW_ARRAY(&r->job->arena, wgt_slot, WGT_MAX_SLOTS);
    if (status != WGT_OK || slots == NULL) {
        return status != WGT_OK ? status : wgt_job_no_memory(r->error);
    }
    uint32_t count = 0;
    uint64_t size = 0, align = 0;
    const bool known = wgt_type_layout(node->string, slots, WGT_MAX_SLOTS, &count, &size, &align);
    const bool same = known && count == r->part->slot_count && slots[0].scalar == r->part->scalar;
    if (!same && !wgt_str_equal(node->string, element)) {
        return wgt_job_fail(r->job, node, r->error, "the kernel's elements are %.*s, not %.*s",
                            (int)element.size, element.data, (int)node->string.size, node->string.data);
    }
    return WGT_OK;
}

wgt_status wgt_job_read_init(wgt_job *job, const wgt_json *node, wgt_part *part, bool fixed,
                             wgt_str element, wgt_error *error) {
    reading r = {job, node, node, part, fixed, error};
    if (node->type != WGT_JSON_OBJECT) { /* a field's value, written plainly */
        return read_values(&r);
    }
    size_t way = WAY_COUNT;
    for (size_t i = 0; i < WAY_COUNT; i++) {
        const wgt_json *value = wgt_json_get(node, ways[i].key);
        if (value != NULL && way < WAY_COUNT) {
            return wgt_job_fail_key(job, value, error, "\"%s\" and \"%s\" exclude each other: keep one",
                                    ways[way].key, ways[i].key);
        }
        if (value != NULL) {
            way = i;
            r.value = value;
        }
    }
    if (way == WAY_COUNT) {
        static const char *const all[] = {"random", "zero", "values", "range", "file",
                                          "fields", "output", "reset", NULL};
        const wgt_status status = wgt_job_keys(job, node, all, error);
        return status != WGT_OK ? status
                                : wgt_job_fail(job, node, error,
                                               "no contents: one of random, zero, values, range, file, "
                                               "fields is wanted");
    }
    wgt_status status =
        ways[way].allowed[0] == NULL ? WGT_OK : wgt_job_keys(job, node, ways[way].allowed, error);
    status = status == WGT_OK ? check_type(&r, element) : status;
    return status == WGT_OK ? ways[way].read(&r) : status;
}
