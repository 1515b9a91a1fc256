#include "cli.h"
#include "base/number.h"
#include "base/text.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>

wgt_status wgt_cli_fail(wgt_status status, const char *message) {
    fprintf(stderr, "wgtune: %s\n", message);
    return status;
}

wgt_status wgt_cli_usage(const char *command, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wgtune %s: %s, see `wgtune %s --help`\n", command, message, command);
    return WGT_USAGE;
}

wgt_status wgt_cli_finish(wgt_status status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return status;
    }
    if (errno == EPIPE) {
        return status;
    }
    fprintf(stderr, "wgtune: cannot write to standard output: %s\n", strerror(errno != 0 ? errno : EIO));
    return status == WGT_OK ? WGT_NOT_SAVED : status;
}

const char *wgt_cli_nearest(const char *name, const char *const *names, size_t count) {
    const char *best = NULL;
    unsigned best_distance = 3;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = wgt_str_distance(wgt_str_from(name), wgt_str_from(names[i]));
        if (distance < best_distance && distance < strlen(names[i])) {
            best_distance = distance;
            best = names[i];
        }
    }
    return best;
}

static void print_options(const char *usage, const wgt_cli_option *options) {
    printf("usage: %s\n", usage);
    for (const wgt_cli_option *o = options; o->name != NULL; o++) {
        char head[64];
        snprintf(head, sizeof head, "%c%c%s--%s%s%s", o->letter != 0 ? '-' : ' ',
                 o->letter != 0 ? o->letter : ' ', o->letter != 0 ? ", " : "  ", o->name,
                 o->meta != NULL ? " " : "", o->meta != NULL ? o->meta : "");
        printf("  %-30s %s\n", head, o->help);
    }
    printf("  %-30s %s\n", "-h, --help", "this text");
}

static const wgt_cli_option *find_option(const wgt_cli_option *options, wgt_str name, char letter) {
    for (const wgt_cli_option *o = options; o->name != NULL; o++) {
        if ((letter != 0 && o->letter == letter) || (letter == 0 && wgt_str_is(name, o->name))) {
            return o;
        }
    }
    return NULL;
}

static wgt_status unknown_option(const char *command, const wgt_cli_option *options, const char *argument) {
    const char *names[64];
    size_t count = 0;
    for (const wgt_cli_option *o = options; o->name != NULL && count < 64; o++) {
        names[count++] = o->name;
    }
    char bare[128];
    snprintf(bare, sizeof bare, "%s", argument + strspn(argument, "-"));
    bare[strcspn(bare, "=")] = '\0';
    const char *nearest = wgt_cli_nearest(bare, names, count);
    if (nearest != NULL) {
        return wgt_cli_usage(command, "unknown option '%s', did you mean '--%s'?", argument, nearest);
    }
    return wgt_cli_usage(command, "unknown option '%s'", argument);
}

static bool set_value(const wgt_cli_option *o, const char *text) {
    wgt_str view = wgt_str_from(text);
    double number = 0;
    switch (o->kind) {
    case WGT_CLI_FLAG:
        return false;
    case WGT_CLI_TEXT:
        *(const char **)o->value = text;
        return true;
    case WGT_CLI_U64:
        return wgt_u64_parse(view, o->value);
    case WGT_CLI_NUMBER:
        if (view.size == 0 || wgt_number_parse(view, &number) != view.size || !wgt_is_finite(number)) {
            return false;
        }
        *(double *)o->value = number;
        return true;
    case WGT_CLI_PERCENT: {
        bool percent = view.size > 1 && view.data[view.size - 1] == '%';
        view.size -= percent ? 1 : 0;
        if (view.size == 0 || wgt_number_parse(view, &number) != view.size || !wgt_is_finite(number)) {
            return false;
        }
        *(double *)o->value = percent ? number / 100 : number;
        return true;
    }
    case WGT_CLI_EACH: {
        wgt_cli_list *list = o->value;
        if (list->count == sizeof list->items / sizeof *list->items) {
            return false;
        }
        list->items[list->count++] = text;
        return true;
    }
    }
    return false;
}

static const char *wanted(wgt_cli_kind kind) {
    static const char *const words[] = {"no value", "a text", "a whole number", "a number",
                                        "a percentage such as 2%", "at most 64 values"};
    return words[kind];
}

wgt_status wgt_cli_parse(int argc, char **argv, const char *usage, const wgt_cli_option *options,
                         int *operand_count) {
    int operands = 0;
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        char *argument = argv[i];
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            argv[1 + operands++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_options(usage, options);
            return WGT_NEGATIVE;
        }
        const wgt_cli_option *o = NULL;
        const char *value = NULL;
        if (argument[1] == '-') {
            size_t length = strcspn(argument + 2, "=");
            o = find_option(options, (wgt_str){argument + 2, length}, 0);
            value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
        } else {
            o = find_option(options, (wgt_str){NULL, 0}, argument[1]);
            value = argument[2] != '\0' ? argument + 2 : NULL;
        }
        if (o == NULL) {
            return unknown_option(argv[0], options, argument);
        }
        if (o->kind == WGT_CLI_FLAG) {
            if (value != NULL) {
                return wgt_cli_usage(argv[0], "--%s takes no value", o->name);
            }
            *(bool *)o->value = true;
            continue;
        }
        if (value == NULL) {
            if (i + 1 >= argc) {
                return wgt_cli_usage(argv[0], "--%s needs %s", o->name, wanted(o->kind));
            }
            value = argv[++i];
        }
        if (!set_value(o, value)) {
            return wgt_cli_usage(argv[0], "--%s: '%s' is not %s", o->name, value, wanted(o->kind));
        }
    }
    *operand_count = operands;
    return WGT_OK;
}

wgt_status wgt_cli_values(const char *command, const char *option, const wgt_cli_list *list,
                          wgt_cli_value *values) {
    for (size_t i = 0; i < list->count; i++) {
        wgt_str text = wgt_str_from(list->items[i]);
        const char *equals = memchr(text.data, '=', text.size);
        if (equals == NULL || equals == text.data) {
            return wgt_cli_usage(command, "--%s: '%s' is not NAME=VALUE", option, list->items[i]);
        }
        wgt_str number = {equals + 1, text.size - (size_t)(equals + 1 - text.data)};
        double value = 0;
        if (number.size == 0 || wgt_number_parse(number, &value) != number.size || !wgt_is_finite(value)) {
            return wgt_cli_usage(command, "--%s: '%s' has no number after '='", option, list->items[i]);
        }
        values[i] = (wgt_cli_value){{text.data, (size_t)(equals - text.data)}, value};
    }
    return WGT_OK;
}
