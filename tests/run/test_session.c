#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/host/host.h"
#include "run/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static wgt_status open_with(const char *worker, wgt_error *error) {
    const wgt_session_options options = {.job_path = "x.job.json", .worker = worker, .allocator = wgt_heap()};
    wgt_session *session = NULL;
    wgt_adapter adapter;
    wgt_status status = wgt_session_open(&options, &session, &adapter, error);
    assert_true(status == WGT_OK || session == NULL);
    wgt_session_close(&session);
    return status;
}

static void a_worker_that_ends_at_once_is_told_with_its_code(void **state) {
    (void)state;
    wgt_error error = {{0}};
    assert_int_equal(open_with("/bin/false", &error), WGT_INTERNAL);
    assert_string_equal(error.message, "the measuring process ended with code 1");
}

static void a_worker_that_is_not_there_is_told(void **state) {
    (void)state;
    wgt_error error = {{0}};
    assert_int_equal(open_with("/nonexistent/wgtune", &error), WGT_INTERNAL);
    assert_string_equal(error.message, "the measuring process ended with code 127");
}

/* A script in the place of the worker. */
static void write_script(char path[64], const char *body) {
    strcpy(path, "/tmp/wgtune-worker-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    chmod(path, 0700);
}

static void a_worker_that_talks_nonsense_is_refused(void **state) {
    (void)state;
    static const char *const answers[] = {"echo nonsense", "echo '{\"adapter\":3}'", "echo '{}'"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char path[64], body[128];
        snprintf(body, sizeof body, "read line; %s; read line", answers[i]);
        write_script(path, body);
        wgt_error error = {{0}};
        wgt_status status = open_with(path, &error);
        assert_true(status == WGT_INTERNAL || status == WGT_BAD_INPUT);
        assert_true(error.message[0] != '\0');
        unlink(path);
    }
}

static void a_workers_own_error_comes_through_as_it_is(void **state) {
    (void)state;
    char path[64];
    write_script(path, "read line; echo '{\"error\":{\"status\":4,\"message\":\"no adapter\"}}'; read line");
    wgt_error error = {{0}};
    assert_int_equal(open_with(path, &error), WGT_NO_GPU);
    assert_string_equal(error.message, "no adapter");
    unlink(path);
}

static void a_worker_killed_by_a_signal_is_told_with_it(void **state) {
    (void)state;
    char path[64];
    write_script(path, "read line; kill -SEGV $$");
    wgt_error error = {{0}};
    assert_int_equal(open_with(path, &error), WGT_INTERNAL);
    assert_non_null(strstr(error.message, "signal 11"));
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_ends_at_once_is_told_with_its_code),
        cmocka_unit_test(a_worker_that_is_not_there_is_told),
        cmocka_unit_test(a_worker_that_talks_nonsense_is_refused),
        cmocka_unit_test(a_workers_own_error_comes_through_as_it_is),
        cmocka_unit_test(a_worker_killed_by_a_signal_is_told_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
