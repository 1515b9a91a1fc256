#include "wgtune/result.h"
#include "../base/hash.h"
#include "../base/number.h"
#include "../base/text.h"
#include "internal.h"

/* The names under which engines know a vendor, for adapters that come without an id. Source of the
 * ids: the PCI-SIG's list; 0x10005 is the one that Khronos gave to Mesa, for its software drivers. */
static const struct {
    const char *name; /* lower case */
    uint32_t id;
} vendors[] = {
    {"nvidia", 0x10de}, {"nvidia corporation", 0x10de}, {"amd", 0x1002},      {"advanced micro devices", 0x1002},
    {"intel", 0x8086},  {"apple", 0x106b},              {"arm", 0x13b5},      {"qualcomm", 0x5143},
    {"img-tec", 0x1010}, {"imagination", 0x1010},       {"samsung", 0x144d},  {"broadcom", 0x14e4},
    {"google", 0x1ae0}, {"microsoft", 0x1414},          {"llvmpipe", 0x10005}, {"mesa", 0x10005},
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_word(wgt_str text, const char *word) {
    for (size_t i = 0; i < text.size; i++) {
        if (word[i] == '\0' || lower(text.data[i]) != word[i]) {
            return false;
        }
    }
    return word[text.size] == '\0';
}

/* 0: neither the adapter nor the table knows one. */
static uint32_t vendor_of(const wgt_key *key) {
    for (size_t i = 0; key->vendor_id == 0 && i < sizeof vendors / sizeof *vendors; i++) {
        if (same_word(key->vendor, vendors[i].name)) {
            return vendors[i].id;
        }
    }
    return key->vendor_id;
}

static void key_of_adapter(wgt_key *key, const wgt_adapter *adapter) {
    key->vendor = wgt_str_from(adapter->vendor);
    key->architecture = wgt_str_from(adapter->architecture);
    key->device = wgt_str_from(adapter->device);
    key->driver = wgt_str_from(adapter->driver);
    key->backend = wgt_str_from(adapter->backend);
    key->engine = wgt_str_from(adapter->engine);
    key->engine_version = wgt_str_from(adapter->engine_version);
    key->vendor_id = adapter->vendor_id;
    key->device_id = adapter->device_id;
}

void wgt_key_of_job(wgt_key *key, const wgt_job *job, const wgt_adapter *adapter) {
    const wgt_job_info *info = wgt_job_get_info(job);
    key_of_adapter(key, adapter);
    key->source = info->hash;
    key->entry = info->entry;
    key->problem = info->problem;
    key->problem_count = info->problem_count;
    key->space = info->space;
}

void wgt_key_of_result(wgt_key *key, const wgt_result *result) {
    key_of_adapter(key, &result->adapter);
    key->source = result->hash;
    key->entry = result->entry;
    key->problem = result->problem;
    key->problem_count = result->problem_count;
    key->space = result->space;
}

static void fold_text(wgt_hash *hash, wgt_str text) {
    *hash = wgt_hash_combine(*hash, wgt_hash_bytes(text.data, text.size));
}

static void fold_number(wgt_hash *hash, double value) {
    char text[WGT_NUMBER_SIZE];
    const size_t size = wgt_number_format(value, text);
    fold_text(hash, (wgt_str){text, size});
}

/* The name after `last` in the order of bytes; NULL when there is none. Needs no memory. */
static const wgt_named *next_in_order(const wgt_key *key, const wgt_named *last) {
    const wgt_named *next = NULL;
    for (size_t i = 0; i < key->problem_count; i++) {
        const wgt_named *p = &key->problem[i];
        const bool after = last == NULL || wgt_str_compare(p->name, last->name) > 0;
        if (after && (next == NULL || wgt_str_compare(p->name, next->name) < 0)) {
            next = p;
        }
    }
    return next;
}

/* The fields in the order below, each hashed alone and folded in, so that no text can run into its
 * neighbour. */
wgt_hash wgt_key_hash(const wgt_key *key) {
    wgt_hash hash = wgt_hash_bytes("wgtune key 1", 12);
    const uint32_t vendor = vendor_of(key);
    if (vendor != 0) {
        fold_number(&hash, (double)vendor);
    } else {
        fold_text(&hash, key->vendor);
    }
    fold_number(&hash, (double)key->device_id);
    const wgt_str texts[] = {key->architecture, key->device,         key->driver, key->backend,
                             key->engine,       key->engine_version, key->entry,  key->space};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fold_text(&hash, texts[i]);
    }
    hash = wgt_hash_combine(hash, key->source);
    for (const wgt_named *p = next_in_order(key, NULL); p != NULL; p = next_in_order(key, p)) {
        fold_text(&hash, p->name);
        fold_number(&hash, p->value);
    }
    return hash;
}

static bool same_problem(const wgt_key *a, const wgt_key *b) {
    const wgt_named *p = next_in_order(a, NULL), *q = next_in_order(b, NULL);
    while (p != NULL && q != NULL) {
        if (!wgt_str_equal(p->name, q->name) || p->value != q->value) {
            return false;
        }
        p = next_in_order(a, p);
        q = next_in_order(b, q);
    }
    return p == NULL && q == NULL;
}

bool wgt_key_equal(const wgt_key *a, const wgt_key *b) {
    const uint32_t vendor_a = vendor_of(a), vendor_b = vendor_of(b);
    const bool same_vendor =
        vendor_a == vendor_b && (vendor_a != 0 || wgt_str_equal(a->vendor, b->vendor));
    return same_vendor && a->device_id == b->device_id && wgt_str_equal(a->architecture, b->architecture) &&
           wgt_str_equal(a->device, b->device) && wgt_str_equal(a->driver, b->driver) &&
           wgt_str_equal(a->backend, b->backend) && wgt_str_equal(a->engine, b->engine) &&
           wgt_str_equal(a->engine_version, b->engine_version) && wgt_str_equal(a->entry, b->entry) &&
           wgt_str_equal(a->space, b->space) && wgt_hash_equal(a->source, b->source) && same_problem(a, b);
}
