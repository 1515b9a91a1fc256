#include "cli.h"
#include "output.h"
#include "base/host/host.h"
#include "report/terminal.h"
#include "wgtune/wisdom.h"
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const char *wanted; /* NULL: all */
    size_t seen, damaged;
    wgt_out *out;
    bool json, full;
    char match[256];
} walk;

static bool names_it(const char *name, const wgt_result *result, const char *wanted) {
    size_t length = strlen(wanted);
    return strcmp(name, wanted) == 0 ||
           (strncmp(name, wanted, length) == 0 && (name[length] == '.' || name[length] == '-')) ||
           (result != NULL && wgt_str_is(result->job_name, wanted));
}

static void put_entry(wgt_out *out, const char *name, const wgt_result *r) {
    wgt_putf(out, "%s\n  %.*s · %s", name, (int)r->job_name.size, r->job_name.data, r->adapter.device);
    for (size_t i = 0; i < r->problem_count; i++) {
        char number[64];
        wgt_report_count(r->problem[i].value, number, sizeof number);
        wgt_putf(out, "%s%.*s = %s", i == 0 ? " · " : ", ", (int)r->problem[i].name.size, r->problem[i].name.data,
                 number);
    }
    wgt_put(out, WGT_STR("\n  pick "));
    const wgt_pick *pick = &r->summary.pick;
    for (size_t k = 0; k < r->constant_count; k++) {
        wgt_putf(out, "%s%.*s = %g", k == 0 ? "" : ", ", (int)r->constant_names[k].size, r->constant_names[k].data,
                 r->candidates[pick->candidate].candidate.constants[k]);
    }
    char text[64];
    wgt_report_time(r->candidates[pick->candidate].median_ns, text, sizeof text);
    wgt_putf(out, ", %s", text);
    if (r->measured_at.size > 0) {
        wgt_putf(out, ", %.*s", (int)r->measured_at.size, r->measured_at.data);
    }
    wgt_put_char(out, '\n');
}

static bool list_one(void *user, const char *name, const wgt_result *result, const wgt_error *error) {
    walk *w = user;
    w->seen++;
    if (result == NULL) {
        w->damaged++;
        fprintf(stderr, "wgtune: %s\n", error->message);
    } else if (w->json) {
        wgt_putf(w->out, "%s\n  \"%s\"", w->seen - w->damaged > 1 ? "," : "", name);
    } else {
        put_entry(w->out, name, result);
    }
    return true;
}

static bool show_one(void *user, const char *name, const wgt_result *result, const wgt_error *error) {
    walk *w = user;
    if (!names_it(name, result, w->wanted)) {
        return true;
    }
    if (result == NULL) {
        fprintf(stderr, "wgtune: %s\n", error->message);
        w->damaged++;
        return true;
    }
    if (w->seen++ > 0 && !w->json) {
        wgt_put_char(w->out, '\n');
    }
    if (w->json) {
        size_t size = 0;
        wgt_entry_write(result, NULL, &size);
        char *text = malloc(size + 1);
        size_t capacity = size + 1;
        if (text != NULL && wgt_entry_write(result, text, &capacity) == WGT_OK) {
            wgt_put(w->out, (wgt_str){text, size});
        }
        free(text);
        return true;
    }
    wgt_result copy = *result;
    copy.source = WGT_SOURCE_MEASURED;
    const wgt_terminal_options options = {wgt_cli_color(), w->full, name};
    wgt_report_result(w->out, &copy, &options);
    return true;
}

static bool match_one(void *user, const char *name, const wgt_result *result, const wgt_error *error) {
    (void)error;
    walk *w = user;
    if (names_it(name, result, w->wanted)) {
        w->seen++;
        wgt_format(w->match, sizeof w->match, "%s", name);
    }
    return true;
}

static wgt_status list(wgt_wisdom *wisdom, walk *w, wgt_error *error) {
    if (w->json) {
        wgt_put_char(w->out, '[');
    }
    wgt_status status = wgt_wisdom_each(wisdom, list_one, w, error);
    if (w->json) {
        wgt_put(w->out, WGT_STR("\n]\n"));
    } else if (status == WGT_OK && w->seen == 0) {
        wgt_putf(w->out, "nothing is remembered yet in %s\n", wgt_wisdom_folder(wisdom));
    }
    return status;
}

static wgt_status show(wgt_wisdom *wisdom, walk *w, wgt_error *error) {
    wgt_status status = wgt_wisdom_each(wisdom, show_one, w, error);
    if (status == WGT_OK && w->seen == 0) {
        return w->damaged > 0 ? wgt_fail(error, WGT_BAD_INPUT, "no readable entry '%s'", w->wanted)
                              : wgt_fail(error, WGT_NEGATIVE, "no entry '%s'; `wgtune wisdom list` shows them", w->wanted);
    }
    return status;
}

static wgt_status forget(wgt_wisdom *wisdom, walk *w, wgt_error *error) {
    wgt_status status = wgt_wisdom_each(wisdom, match_one, w, error);
    if (status != WGT_OK) {
        return status;
    }
    if (w->seen == 0) {
        return wgt_fail(error, WGT_NEGATIVE, "no entry '%s'; `wgtune wisdom list` shows them", w->wanted);
    }
    if (w->seen > 1) {
        return wgt_fail(error, WGT_USAGE, "'%s' fits %zu entries; give one's whole name", w->wanted, w->seen);
    }
    status = wgt_wisdom_forget(wisdom, w->match, error);
    if (status == WGT_OK) {
        wgt_putf(w->out, "forgotten %s\n", w->match);
    }
    return status;
}

static wgt_status run(const char *folder, const char *verb, const char *name, walk *w) {
    wgt_wisdom *wisdom = NULL;
    wgt_error error = {{0}};
    wgt_status status = wgt_wisdom_open(folder, NULL, &wisdom, &error);
    w->wanted = name;
    if (status == WGT_OK) {
        status = strcmp(verb, "list") == 0   ? list(wisdom, w, &error)
                 : strcmp(verb, "show") == 0 ? show(wisdom, w, &error)
                                             : forget(wisdom, w, &error);
    }
    wgt_out_flush(w->out);
    if (status != WGT_OK) {
        fflush(stdout);
        wgt_cli_fail(status, error.message);
    }
    wgt_wisdom_close(&wisdom);
    return status;
}

wgt_status wgt_cli_wisdom(int argc, char **argv) {
    walk w = {0};
    const char *folder = NULL;
    const wgt_cli_option options[] = {
        {"folder", 0, WGT_CLI_TEXT, &folder, "DIR", "the store; else WGTUNE_WISDOM, else the user's cache folder"},
        {"full", 0, WGT_CLI_FLAG, &w.full, NULL, "show: a row for every candidate"},
        {"json", 0, WGT_CLI_FLAG, &w.json, NULL, "list: the names; show: the entries, as JSON"},
        {0}};
    int operands = 0;
    wgt_status status = wgt_cli_parse(argc, argv,
                                      "wgtune wisdom list | show NAME | forget NAME\n\n"
                                      "NAME is an entry's name as `list` shows it, its beginning, or a job's name.\n",
                                      options, &operands);
    if (status != WGT_OK) {
        return status == WGT_NEGATIVE ? WGT_OK : status;
    }
    const char *verb = operands > 0 ? argv[1] : "";
    bool lists = strcmp(verb, "list") == 0;
    bool names = strcmp(verb, "show") == 0 || strcmp(verb, "forget") == 0;
    if (!lists && !names) {
        static const char *const verbs[] = {"list", "show", "forget"};
        const char *nearest = wgt_cli_nearest(verb, verbs, 3);
        return nearest != NULL ? wgt_cli_usage(argv[0], "unknown '%s', did you mean '%s'?", verb, nearest)
                               : wgt_cli_usage(argv[0], "list, show or forget is needed");
    }
    if (operands != (lists ? 1 : 2)) {
        return wgt_cli_usage(argv[0], lists ? "list takes no name" : "%s needs one name", verb);
    }
    wgt_cli_output output;
    w.out = wgt_cli_output_init(&output);
    return run(folder, verb, lists ? NULL : argv[2], &w);
}
