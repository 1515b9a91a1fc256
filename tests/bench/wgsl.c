/* How fast WGSL is read: megabytes a second over the files that are named, the best of five. */
#include "base/host/host.h"
#include "wgtune/wgsl.h"
#include <stdio.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        wgt_arena arena;
        wgt_error error;
        wgt_str text;
        uint64_t best = UINT64_MAX;
        wgt_arena_init(&arena, wgt_heap());
        if (wgt_file_read(argv[i], 0, &arena, &text, &error) != WGT_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        for (int round = 0; round < 5; round++) {
            wgt_wgsl_options options = {.allocator = wgt_heap()};
            wgt_wgsl *m = NULL;
            uint64_t start = wgt_now_ns();
            if (wgt_wgsl_create(&options, wgt_str_from(argv[i]), text, &m, &error) != WGT_OK)
                fprintf(stderr, "%s\n", error.message);
            uint64_t took = wgt_now_ns() - start;
            best = took < best ? took : best;
            wgt_wgsl_destroy(&m);
        }
        printf("%s: %.1f MB/s\n", argv[i], (double)text.size * 1e3 / (double)best);
        wgt_arena_release(&arena);
    }
    return 0;
}
