#include "record.h"
#include "lines.h"
#include "trace.h"
#include "../base/hash.h"
#include "../base/host/host.h"
#include "../base/number.h"
#include "../job/adapter_json.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE 16384

static void put_line(wgt_record *r, wgt_out *out) {
    wgt_put_char(out, '\n');
    if (out->truncated || wgt_fault(WGT_FAULT_WRITE) || !wgt_write_all(r->fd, (wgt_str){out->data, out->size})) {
        r->failed = true;
    }
}

static void write_header(wgt_record *r, const wgt_adapter *adapter, const wgt_clock *clock) {
    char memory[LINE_SIZE];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    if (r->csv) {
        wgt_put(&out, WGT_STR("# "));
    }
    wgt_json_writer_init(&w, &out, 0);
    wgt_json_begin_object(&w);
    wgt_json_key(&w, "wgtune");
    wgt_json_cstring(&w, wgt_version());
    wgt_json_key(&w, "job");
    wgt_json_string(&w, r->job->name);
    wgt_json_key(&w, "kernel");
    wgt_json_string(&w, r->job->kernel);
    wgt_json_key(&w, "entry");
    wgt_json_string(&w, r->job->entry);
    char hash[WGT_HASH_TEXT_SIZE];
    wgt_hash_format(r->job->hash, hash);
    wgt_json_key(&w, "hash");
    wgt_json_cstring(&w, hash);
    wgt_json_key(&w, "problem");
    wgt_json_begin_object(&w);
    for (size_t i = 0; i < r->job->problem_count; i++) {
        wgt_json_key_str(&w, r->job->problem[i].name);
        wgt_json_number(&w, r->job->problem[i].value);
    }
    wgt_json_end_object(&w);
    wgt_json_key(&w, "adapter");
    wgt_adapter_write(&w, adapter);
    wgt_json_key(&w, "clock");
    wgt_clock_write(&w, clock);
    wgt_json_end_object(&w);
    put_line(r, &out);
    if (r->csv) {
        wgt_out_init(&out, memory, sizeof memory);
        for (size_t i = 0; i < r->job->constant_count; i++) {
            wgt_putf(&out, "%.*s,", (int)r->job->constants[i].name.size, r->job->constants[i].name.data);
        }
        wgt_put(&out, WGT_STR("round,order,gpu_ns,wall_ns,compile_ns,registers,spill_bytes,shared_bytes,"
                              "status,batch"));
        put_line(r, &out);
    }
}

static bool ends_with(const char *path, const char *ending) { return wgt_str_ends(wgt_str_from(path), ending); }

wgt_status wgt_record_open(wgt_record *r, const char *path, const wgt_job *job, const wgt_adapter *adapter,
                           const wgt_clock *clock, size_t candidate_count, const wgt_allocator *allocator,
                           wgt_error *error) {
    *r = (wgt_record){.fd = -1, .job = wgt_job_get_info(job), .allocator = allocator};
    if (path == NULL) {
        return WGT_OK;
    }
    r->csv = ends_with(path, ".csv");
    r->wall = !clock->timestamps;
    if (!r->csv && !ends_with(path, ".jsonl")) {
        return wgt_fail(error, WGT_USAGE, "%s: a recording's name ends in .jsonl or .csv", path);
    }
    r->candidate_count = candidate_count;
    r->compile_ns = allocator->resize(allocator->user, NULL, 0, candidate_count * sizeof *r->compile_ns);
    if (r->compile_ns == NULL) {
        return wgt_fail(error, WGT_NO_MEMORY, "no memory");
    }
    memset(r->compile_ns, 0, candidate_count * sizeof *r->compile_ns);
    r->fd = wgt_fault(WGT_FAULT_OPEN) ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->fd < 0) {
        return wgt_fail(error, WGT_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    }
    write_header(r, adapter, clock);
    return WGT_OK;
}

static void put_known(wgt_out *out, uint64_t value) {
    if (value != WGT_UNKNOWN_U64) {
        wgt_putf(out, "%llu", (unsigned long long)value);
    }
    wgt_put_char(out, ',');
}

static void write_csv(wgt_record *r, const wgt_action *a, const wgt_candidate *c, const wgt_report *report,
                      uint32_t round) {
    if (a->kind == WGT_ACTION_COMPILE) {
        r->compile_ns[a->candidate] = report->compile_ns;
    }
    if (a->kind != WGT_ACTION_RUN || a->warm_up || a->divide > 1) {
        return;
    }
    r->order = round == r->round ? r->order + 1 : 0;
    r->round = round;
    size_t rows = report->span_count > 0 ? report->span_count : 1;
    for (size_t i = 0; i < rows; i++) {
        char memory[2048];
        wgt_out out;
        wgt_out_init(&out, memory, sizeof memory);
        for (size_t k = 0; k < r->job->constant_count; k++) {
            wgt_putf(&out, "%g,", c->constants[k]);
        }
        wgt_putf(&out, "%u,%u,", round > 0 ? round - 1 : 0, r->order);
        bool known = i < report->span_count && wgt_is_finite(report->spans_ns[i]);
        if (known && !r->wall) {
            wgt_putf(&out, "%g,,", report->spans_ns[i]);
        } else if (known) {
            wgt_putf(&out, ",%g,", report->spans_ns[i]);
        } else {
            wgt_put(&out, WGT_STR(",,"));
        }
        put_known(&out, r->compile_ns[a->candidate]);
        put_known(&out, report->registers);
        put_known(&out, report->spill_bytes);
        put_known(&out, report->shared_bytes);
        wgt_putf(&out, "%s,%u", wgt_outcome_name(report->outcome), a->batch);
        put_line(r, &out);
    }
}

void wgt_record_write(wgt_record *r, const wgt_action *action, const wgt_candidate *candidate,
                      const wgt_report *report, uint32_t round) {
    if (r->fd < 0 || r->failed) {
        return;
    }
    if (r->csv) {
        write_csv(r, action, candidate, report, round);
        return;
    }
    char memory[LINE_SIZE];
    wgt_out out;
    wgt_json_writer w;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_trace_write_action(&w, action, candidate, r->job);
    put_line(r, &out);
    wgt_out_init(&out, memory, sizeof memory);
    wgt_json_writer_init(&w, &out, 0);
    wgt_trace_write_report(&w, report);
    put_line(r, &out);
}

wgt_status wgt_record_close(wgt_record *r, const char *path, wgt_error *error) {
    bool failed = r->failed;
    if (r->fd >= 0) {
        failed = close(r->fd) != 0 || failed;
    }
    r->fd = -1;
    if (r->compile_ns != NULL) {
        r->allocator->resize(r->allocator->user, r->compile_ns, r->candidate_count * sizeof *r->compile_ns, 0);
    }
    r->compile_ns = NULL;
    return failed ? wgt_fail(error, WGT_NOT_SAVED, "%s: the recording could not be written", path) : WGT_OK;
}
