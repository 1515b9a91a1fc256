#include "worker.h"
#include "executor.h"
#include "probe_execute.h"
#include "trace.h"
#include "wgtune/tune.h"
#include "../gpu/statistics.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include "../job/adapter_json.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The parent's side ---------------------------------------------------------------------------------- */

static void close_fd(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void child(const char *program, int in, int out, int life) {
    setpgid(0, 0);
    signal(SIGINT, SIG_IGN);
    /* dup2 clears close-on-exec, and the life pipe is passed on under its own number. */
    fcntl(life, F_SETFD, 0);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) {
        _exit(127);
    }
    char number[16];
    snprintf(number, sizeof number, "%d", life);
    execl(program, program, "worker", number, (char *)NULL);
    _exit(127);
}

wgt_status wgt_worker_start(wgt_worker *worker, const char *program, const wgt_allocator *allocator,
                            wgt_error *error) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, life[2] = {-1, -1};
    *worker = (wgt_worker){.to = -1, .from = -1, .life = -1};
    pid_t pid = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(life, O_CLOEXEC) == 0) {
        pid = fork();
    }
    if (pid == 0) {
        child(program, in[0], out[1], life[0]);
    }
    int failure = errno;
    close_fd(&in[0]);
    close_fd(&out[1]);
    close_fd(&life[0]);
    if (pid < 0) {
        close_fd(&in[1]);
        close_fd(&out[0]);
        close_fd(&life[1]);
        return wgt_fail(error, WGT_INTERNAL, "cannot start the measuring process: %s", strerror(failure));
    }
    worker->pid = (int)pid;
    worker->to = in[1];
    worker->from = out[0];
    worker->life = life[1];
    wgt_lines_init(&worker->lines, worker->from, allocator);
    return WGT_OK;
}

wgt_status wgt_worker_ask(wgt_worker *worker, wgt_str request, uint64_t deadline_ns,
                          bool (*interrupted)(void *), void *user, wgt_str *answer) {
    if (!wgt_write_all(worker->to, request) || !wgt_write_all(worker->to, WGT_STR("\n"))) {
        return WGT_INTERNAL;
    }
    return wgt_lines_read(&worker->lines, deadline_ns, interrupted, user, answer);
}

static bool gone(int pid, int *how) {
    pid_t got = waitpid(pid, how, WNOHANG);
    return got == pid || (got < 0 && errno == ECHILD);
}

static bool wait_until_gone(int pid, uint64_t grace_ns, int *how) {
    uint64_t start = wgt_now_ns();
    for (;;) {
        if (gone(pid, how)) {
            return true;
        }
        if (wgt_now_ns() - start >= grace_ns) {
            return false;
        }
        usleep(1000);
    }
}

void wgt_worker_stop(wgt_worker *worker, uint64_t grace_ns, char *how, size_t capacity) {
    int status = 0;
    close_fd(&worker->to);
    bool ended = worker->pid == 0 || wait_until_gone(worker->pid, grace_ns, &status);
    close_fd(&worker->life);
    if (!ended) {
        kill(-worker->pid, SIGKILL);
        kill(worker->pid, SIGKILL);
        ended = wait_until_gone(worker->pid, 2000000000u, &status);
    }
    if (how != NULL && !ended) {
        snprintf(how, capacity, "cannot be killed and was left behind");
    } else if (how != NULL && WIFSIGNALED(status)) {
        snprintf(how, capacity, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (how != NULL) {
        snprintf(how, capacity, "ended with code %d", WEXITSTATUS(status));
    }
    close_fd(&worker->from);
    wgt_lines_release(&worker->lines);
    worker->pid = 0;
}

void wgt_worker_write_open(wgt_json_writer *w, const wgt_session_options *o) {
    wgt_json_begin_object(w);
    wgt_json_key(w, "open");
    wgt_json_cstring(w, o->job_path);
    wgt_json_key(w, "problem");
    wgt_json_begin_object(w);
    for (size_t i = 0; i < o->problem_count; i++) {
        wgt_json_key_str(w, o->problem[i].name);
        wgt_json_number(w, o->problem[i].value);
    }
    wgt_json_end_object(w);
    const char *const texts[][2] = {
        {"library", o->gpu.library}, {"adapter", o->gpu.adapter}, {"fake", o->gpu.fake}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wgt_json_key(w, texts[i][0]);
        wgt_json_cstring(w, texts[i][1]);
    }
    wgt_json_key(w, "portable_limits");
    wgt_json_bool(w, o->gpu.portable_limits);
    wgt_json_end_object(w);
}

/* The worker's side ----------------------------------------------------------------------------------- */

typedef struct serving {
    int out;
    const wgt_allocator *allocator;
    wgt_gpu *gpu;
    wgt_job *job;
    wgt_executor *executor;
    wgt_prober *prober;
    bool unusable; /* a dispatch never came back: release nothing, that call may not return either */
} serving;

static bool say(serving *s, const wgt_out *out) {
    (void)s;
    return !out->truncated && wgt_write_all(s->out, (wgt_str){out->data, out->size}) &&
           wgt_write_all(s->out, WGT_STR("\n"));
}

static bool say_error(serving *s, wgt_status status, const wgt_error *error) {
    char memory[8192];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "error");
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "status");
    wgt_json_write_u64(&w, (uint64_t)status);
    wgt_json_key(&w, "message");
    wgt_json_cstring(&w, error->message);
    wgt_json_end_object(&w);
    wgt_json_end_object(&w);
    return say(s, &out);
}

static const char *text_or_null(const wgt_json *object, const char *key, wgt_arena *arena) {
    const wgt_json *value = wgt_json_get(object, key);
    return value == NULL || value->type != WGT_JSON_STRING ? NULL : wgt_arena_copy(arena, value->string).data;
}

/* `note`: why the driver's numbers will be unknown; empty: they may be known. */
static wgt_status open_device(serving *s, const wgt_json *request, wgt_arena *arena, wgt_error *note,
                              wgt_error *error) {
    const wgt_json *problem = wgt_json_get(request, "problem");
    size_t count = problem == NULL ? 0 : problem->count, i = 0;
    wgt_named *named = WGT_NEW_ARRAY(arena, wgt_named, count);
    const char *path = text_or_null(request, "open", arena);
    if (named == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    for (const wgt_json *p = problem == NULL ? NULL : problem->first; p != NULL; p = p->next) {
        named[i++] = (wgt_named){p->key, p->number};
    }
    const wgt_job_options job_options = {s->allocator, named, count};
    /* The probe opens a device without a job. */
    wgt_status status = path == NULL ? WGT_OK : wgt_job_load(&job_options, path, &s->job, error);
    if (status != WGT_OK) {
        return status;
    }
    const wgt_gpu_options options = {
        .library = text_or_null(request, "library", arena),
        .adapter = text_or_null(request, "adapter", arena),
        .fake = text_or_null(request, "fake", arena),
        .portable_limits = wgt_json_bool_or(request, "portable_limits", false),
        .allocator = s->allocator,
    };
    /* Before the first instance, and only in a process of our own: it changes the environment. No layer is no error:
     * the driver's numbers stay unknown. */
    if (options.fake == NULL && wgt_statistics_prepare(note) == WGT_OK) {
        note->message[0] = '\0';
    }
    return wgt_gpu_open(&options, &s->gpu, error);
}

static bool answer_open(serving *s, const wgt_json *request, wgt_arena *arena) {
    wgt_error error = {{0}}, note = {{0}};
    wgt_status status = open_device(s, request, arena, &note, &error);
    if (status != WGT_OK) {
        return say_error(s, status, &error);
    }
    char memory[8192];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "adapter");
    wgt_adapter_write(&w, s->gpu->api->adapter(s->gpu));
    if (note.message[0] != '\0') {
        wgt_json_key(&w, "note");
        wgt_json_cstring(&w, note.message);
    }
    wgt_json_end_object(&w);
    return say(s, &out);
}

static bool answer_start(serving *s) {
    wgt_error error = {{0}};
    wgt_clock clock = {0};
    wgt_status status = s->gpu == NULL ? WGT_USAGE : wgt_gpu_clock(s->gpu, &clock, &error);
    if (status == WGT_OK && s->job == NULL) {
        status = wgt_prober_create(s->gpu, !clock.timestamps, s->allocator, &s->prober, &error);
    } else if (status == WGT_OK) {
        status = wgt_executor_create(s->gpu, s->job, !clock.timestamps, s->allocator, &s->executor, &error);
    }
    if (status != WGT_OK) {
        return say_error(s, status, &error);
    }
    char memory[1024];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "clock");
    wgt_clock_write(&w, &clock);
    wgt_json_end_object(&w);
    return say(s, &out);
}

static bool answer_action(serving *s, const wgt_json *request) {
    wgt_error error = {{0}};
    wgt_action action;
    wgt_candidate candidate;
    wgt_status status =
        s->executor == NULL
            ? wgt_fail(&error, WGT_USAGE, "an action before start")
            : wgt_trace_read_action(request, wgt_job_get_info(s->job), &action, &candidate, &error);
    if (status != WGT_OK) {
        return say_error(s, status, &error);
    }
    wgt_report report;
    wgt_executor_execute(s->executor, &action, &candidate, &report);
    s->unusable = report.outcome == WGT_OUTCOME_TIMEOUT || report.outcome == WGT_OUTCOME_LOST;
    char memory[8192];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_trace_write_report(&w, &report);
    return say(s, &out) && !s->unusable;
}

static bool answer_probe(serving *s, const wgt_json *request) {
    wgt_error error = {{0}};
    wgt_probe_action action;
    if (s->prober == NULL || !wgt_probe_read_action(request, &action)) {
        return say_error(s, wgt_fail(&error, WGT_USAGE, "an experiment before start, or of no known kernel"), &error);
    }
    wgt_probe_report report;
    wgt_prober_execute(s->prober, &action, &report, &error);
    s->unusable = report.outcome == WGT_OUTCOME_TIMEOUT || report.outcome == WGT_OUTCOME_LOST;
    char memory[8192];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_probe_write_report(&w, &report, error.message);
    return say(s, &out) && !s->unusable;
}

static bool answer(serving *s, wgt_str line) {
    wgt_arena arena;
    wgt_arena_init(&arena, s->allocator);
    wgt_json *request = NULL;
    wgt_error error = {{0}};
    wgt_status status = wgt_json_parse(WGT_STR("request"), line, 0, &arena, &request, &error);
    bool go_on = false;
    if (status != WGT_OK) {
        go_on = say_error(s, status, &error);
    } else if (wgt_json_get(request, "open") != NULL) {
        go_on = answer_open(s, request, &arena);
    } else if (wgt_json_get(request, "start") != NULL) {
        go_on = answer_start(s);
    } else if (wgt_json_get(request, "probe") != NULL) {
        go_on = answer_probe(s, request);
    } else {
        go_on = answer_action(s, request);
    }
    wgt_arena_release(&arena);
    return go_on;
}

static void *end_with_parent(void *user) {
    int life = (int)(intptr_t)user;
    char byte;
    ssize_t got;
    do {
        got = read(life, &byte, 1);
    } while (got > 0 || (got < 0 && errno == EINTR));
    _exit(0);
}

int wgt_worker_main(int in, int out, int life) {
    pthread_t watcher;
    if (life >= 0 && pthread_create(&watcher, NULL, end_with_parent, (void *)(intptr_t)life) != 0) {
        return WGT_INTERNAL;
    }
    serving s = {.out = out, .allocator = wgt_heap()};
    wgt_lines lines;
    wgt_lines_init(&lines, in, s.allocator);
    wgt_str line;
    while (wgt_lines_read(&lines, UINT64_MAX, NULL, NULL, &line) == WGT_OK && answer(&s, line)) {
    }
    wgt_lines_release(&lines);
    if (s.unusable) {
        _exit(0);
    }
    wgt_executor_destroy(&s.executor);
    wgt_prober_destroy(&s.prober);
    wgt_gpu_close(&s.gpu);
    wgt_job_destroy(&s.job);
    return WGT_OK;
}
