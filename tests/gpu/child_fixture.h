/* For tests whose process may hang or be aborted by the engine: they run in a child, which is this
 * program again with an argument, and is killed if need be. */
#ifndef CHILD_FIXTURE_H
#define CHILD_FIXTURE_H

#include "engine_fixture.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_SECONDS 30

/* What the child found, told by its exit status: the assertions of cmocka are the parent's. */
#define EXPECT(number, condition)                                                                  \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit(number);                                                                         \
    } while (0)

/* The exit status of this program run with `argument`; -1 when it had to be killed. */
static inline int run_child(const char *argument) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "child", argument, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < CHILD_SECONDS * 100; i++) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -1;
}

#endif
