#include "cli.h"
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupt_count;

static void on_interrupt(int signal_number) {
    interrupt_count = interrupt_count + 1;
    if (interrupt_count > 1) {
        _exit(128 + signal_number);
    }
}

void wgt_cli_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
}

bool wgt_cli_interrupted(void *user) {
    (void)user;
    return interrupt_count > 0;
}

void wgt_cli_warning(void *user, const char *message) {
    (void)user;
    fprintf(stderr, "wgtune: %s\n", message);
}
