#include "internal.h"

static const char *const fold_names[] = {"none", "kernel", "rewrite"};
static const char *const mode_names[] = {"none", "same", "close", "sum", "set"};

static void put_rows(wgt_out *out, const wgt_group *group) {
    for (size_t i = 0; i < group->row_count; i++) {
        for (uint8_t m = 0; m < group->member_count; m++) {
            wgt_putf(out, "%s%g", m > 0 ? " " : i > 0 ? "," : "", group->rows[i * group->member_count + m]);
        }
    }
}

static void put_group(wgt_out *out, const wgt_job *job, const wgt_group *group) {
    for (uint8_t m = 0; m < group->member_count; m++) {
        const wgt_str name = job->constants[group->members[m]].name;
        wgt_putf(out, "%s%.*s", m > 0 ? "," : "", (int)name.size, name.data);
    }
    wgt_put_char(out, '=');
    if (group->automatic) {
        wgt_putf(out, "auto");
    } else {
        put_rows(out, group);
    }
}

static void put_checks(wgt_out *out, const wgt_job *job) {
    for (size_t i = 0; i < job->binding_count; i++) {
        const wgt_job_binding *b = &job->bindings[i];
        if (!b->output) {
            continue;
        }
        wgt_putf(out, "; %.*s %s", (int)b->name.size, b->name.data, mode_names[b->check]);
        if (b->rtol > 0 || b->atol > 0) {
            wgt_putf(out, " %g %g", b->rtol, b->atol);
        }
        if (b->has_reference) {
            char text[WGT_HASH_TEXT_SIZE];
            const wgt_str bytes = job->bound[i].reference;
            wgt_hash_format(wgt_hash_bytes(bytes.data, bytes.size), text);
            wgt_putf(out, " reference %.16s", text);
        }
    }
}

static bool hash_piece(void *user, const char *data, size_t size) {
    wgt_hash *hash = user;
    *hash = wgt_hash_combine(*hash, wgt_hash_bytes(data, size));
    return true;
}

/* What the buffers hold, as one number: the job's own descriptions and the files that they name. */
static wgt_hash hash_data(const wgt_job *job) {
    wgt_hash hash = {0, 0};
    for (size_t i = 0; i < job->binding_count; i++) {
        const wgt_bound *bound = &job->bound[i];
        char text[1024];
        wgt_out out;
        wgt_json_writer writer;
        wgt_out_init(&out, text, sizeof text);
        out.flush = hash_piece;
        out.user = &hash;
        wgt_put(&out, bound->variable->name);
        wgt_json_writer_init(&writer, &out, 0);
        wgt_json_value(&writer, bound->node);
        wgt_out_flush(&out);
        for (size_t p = 0; p < bound->part_count; p++) {
            const wgt_str bytes = bound->parts[p].init.bytes;
            if (bytes.data != NULL) {
                (void)hash_piece(&hash, bytes.data, bytes.size);
            }
        }
    }
    return hash;
}

static void put_space(wgt_out *out, const wgt_job *job) {
    for (size_t g = 0; g < job->group_count; g++) {
        wgt_putf(out, "%s", g > 0 ? "; " : "");
        put_group(out, job, &job->groups[g]);
    }
    for (size_t i = 0; i < job->where_count; i++) {
        const wgt_str text = job->where[i].node->string;
        wgt_putf(out, "; where %.*s", (int)text.size, text.data);
    }
    wgt_putf(out, "%s%s", job->group_count + job->where_count > 0 ? "; " : "",
             job->axes_are_workgroups ? "workgroups" : "threads");
    for (size_t i = 0; i < job->axis_count; i++) {
        const wgt_str text = job->axes[i].node->string;
        wgt_putf(out, "%s%.*s", i > 0 ? ", " : " ", (int)text.size, text.data);
    }
    if (job->info.fold != WGT_FOLD_NONE) {
        wgt_putf(out, "; fold %s", fold_names[job->info.fold]);
    }
    put_checks(out, job);
    if (job->binding_count > 0) {
        char text[WGT_HASH_TEXT_SIZE];
        wgt_hash_format(hash_data(job), text);
        wgt_putf(out, "; data %.16s", text);
    }
}

wgt_status wgt_job_read_space(wgt_job *job, wgt_error *error) {
    /* Once to learn the size, once to write. */
    for (size_t capacity = 1024;; capacity *= 2) {
        char *text = WGT_NEW_ARRAY(&job->arena, char, capacity);
        if (text == NULL) {
            return wgt_job_no_memory(error);
        }
        wgt_out out;
        wgt_out_init(&out, text, capacity);
        put_space(&out, job);
        if (!out.truncated) {
            job->info.space = (wgt_str){text, out.size};
            return WGT_OK;
        }
    }
}
