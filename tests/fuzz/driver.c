/* Runs a fuzzer on seeded mutations: `FUZZER [ITERATIONS [SEED]]`, or on files: `FUZZER FILE...`. A
 * crash names the iteration, and leaves its input in `crash-SEED-ITERATION`. */
#include "fuzz.h"

#include "base/number.h"

#include <signal.h>
#include <string.h>

enum { LARGEST = 4096 };

typedef struct mutation {
    uint64_t seed, at;
    size_t size;
    uint8_t data[LARGEST];
} mutation;

static mutation now;

static uint32_t pick(uint32_t bound) {
    return wgt_random_below(now.seed, now.at++, bound ? bound : 1);
}

static size_t count_of(const char *const *list) {
    size_t count = 0;
    while (list[count])
        count++;
    return count;
}

static const char *any_of(const char *const *list) {
    return list[pick((uint32_t)count_of(list))];
}

/* Replaces `removed` bytes at `at` by others, as far as they fit. */
static void splice(size_t at, size_t removed, const void *added, size_t size) {
    if (removed > now.size - at)
        removed = now.size - at;
    if (now.size - removed + size > LARGEST)
        return;
    memmove(now.data + at + size, now.data + at + removed, now.size - at - removed);
    memcpy(now.data + at, added, size);
    now.size += size - removed;
}

static void mutate(void) {
    size_t at = pick((uint32_t)now.size + 1), length = 1 + pick(8);
    uint8_t copy[LARGEST];
    switch (pick(8)) {
    case 0: /* any byte */
        copy[0] = (uint8_t)pick(256);
        splice(at, pick(2), copy, 1);
        break;
    case 1: /* a bit */
        if (at < now.size)
            now.data[at] ^= (uint8_t)(1u << pick(8));
        break;
    case 2:
        splice(at, length, copy, 0);
        break;
    case 3:
    case 4: {
        const char *word = any_of(wgt_fuzz_words);
        splice(at, pick(3) ? 0 : length, word, strlen(word));
        break;
    }
    case 5: { /* a piece of the text again, elsewhere, perhaps many times */
        size_t from = pick((uint32_t)now.size + 1), size = now.size - from;
        size = size < length * 4 ? size : length * 4;
        memcpy(copy, now.data + from, size);
        for (uint32_t times = 1 + (pick(16) ? 0 : pick(200)); times > 0; times--)
            splice(at <= now.size ? at : now.size, 0, copy, size);
        break;
    }
    case 6: { /* another seed's text from somewhere on */
        const char *other = any_of(wgt_fuzz_seeds);
        size_t from = pick((uint32_t)strlen(other) + 1);
        splice(at, now.size, other + from, strlen(other + from));
        break;
    }
    default: /* cut short */
        now.size = pick(4) ? now.size : at;
        break;
    }
}

static void put(const char *text) {
    fputs(text, stderr);
}

static void on_crash(int number) {
    char name[64];
    snprintf(name, sizeof name, "crash-%llu", (unsigned long long)now.seed);
    FILE *file = fopen(name, "wb");
    if (file) {
        fwrite(now.data, 1, now.size, file);
        fclose(file);
    }
    put("the input is in ");
    put(name);
    put("\n");
    signal(number, SIG_DFL);
    raise(number);
}

/* So that a sanitizer's finding passes through on_crash. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "abort_on_error=1:handle_abort=0";
}

static int run_file(const char *name) {
    static uint8_t text[1 << 20];
    FILE *file = fopen(name, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", name);
        return 3;
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1); /* so that a read beyond the end is found */
    if (!exact)
        return 7;
    memcpy(exact, text, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

static bool run_once(uint64_t seed) {
    now.seed = seed;
    now.at = 0;
    const char *start = any_of(wgt_fuzz_seeds);
    now.size = strlen(start);
    memcpy(now.data, start, now.size);
    for (uint32_t rounds = pick(12); rounds > 0; rounds--)
        mutate();
    uint8_t *exact = malloc(now.size ? now.size : 1);
    if (!exact)
        return false;
    memcpy(exact, now.data, now.size);
    LLVMFuzzerTestOneInput(exact, now.size);
    free(exact);
    return true;
}

int main(int argc, char **argv) {
    uint64_t iterations = 10000, seed = 1;
    bool numbers = argc > 1 && wgt_u64_parse((wgt_str){argv[1], strlen(argv[1])}, &iterations);
    int status = 0;
    if (argc > 1 && !numbers) {
        for (int i = 1; i < argc && status == 0; i++)
            status = run_file(argv[i]);
        return status;
    }
    if (argc > 2 && !wgt_u64_parse((wgt_str){argv[2], strlen(argv[2])}, &seed)) {
        fprintf(stderr, "%s: no seed\n", argv[2]);
        return 2;
    }
    signal(SIGSEGV, on_crash);
    signal(SIGABRT, on_crash);
    signal(SIGFPE, on_crash);
    for (const char *const *s = wgt_fuzz_seeds; *s; s++)
        LLVMFuzzerTestOneInput((const uint8_t *)*s, strlen(*s));
    for (uint64_t i = 0; i < iterations; i++)
        if (!run_once((seed << 32) + i))
            return 7;
    printf("%llu inputs\n", (unsigned long long)iterations);
    return 0;
}
