/* Messages and places, and the module's memory. */
#include "internal.h"

void *wgt_ws_alloc(wgt_wgsl *m, size_t count, size_t size) {
    if (m->no_memory)
        return NULL;
    void *memory = wgt_arena_push(&m->arena, count, size);
    if (memory == NULL)
        m->no_memory = true;
    return memory;
}

bool wgt_ws_grow(wgt_wgsl *m, void **array, size_t *capacity, size_t count, size_t size) {
    size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = wgt_ws_alloc(m, wanted, size);
    if (grown == NULL)
        return false;
    if (count > 0)
        memcpy(grown, *array, count * size);
    *array = grown;
    *capacity = wanted;
    return true;
}

/* Columns count bytes from the line's start; both are 1-based. */
void wgt_ws_place(const wgt_wgsl *m, uint32_t offset, uint32_t *line, uint32_t *column) {
    uint32_t low = 0, high = m->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = low + 1;
    *column = m->line_count == 0 ? 1 : offset - m->lines[low] + 1;
}

wgt_str wgt_ws_text(const wgt_wgsl *m, uint32_t begin, uint32_t end) {
    if (begin >= end)
        return (wgt_str){NULL, 0};
    const ws_token *first = &m->tokens[begin], *last = &m->tokens[end - 1];
    return (wgt_str){m->text.data + first->offset, last->offset + last->length - first->offset};
}

wgt_str wgt_ws_symbol_text(const wgt_wgsl *m, uint32_t symbol) {
    return (wgt_str){m->symbols[symbol].data, m->symbols[symbol].size};
}

static void record(wgt_wgsl *m, wgt_severity severity, const char *code, uint32_t offset, const char *help,
                   const char *format, va_list arguments) {
    if (severity == WGT_SEVERITY_ERROR)
        m->error_count++;
    if (m->fatal || m->diagnostic_count >= WS_MAX_DIAGNOSTICS || m->no_memory)
        return;
    char memory[320];
    wgt_out out;
    wgt_out_init(&out, memory, sizeof memory);
    wgt_vputf(&out, format, arguments);
    wgt_diagnostic *d = &m->diagnostics[m->diagnostic_count];
    d->message = wgt_arena_copy(&m->arena, (wgt_str){out.data, out.size});
    if (d->message.data == NULL) {
        m->no_memory = true;
        return;
    }
    d->severity = severity;
    d->code = code;
    d->help = wgt_str_from(help);
    wgt_ws_place(m, offset, &d->line, &d->column);
    m->diagnostic_count++;
}

void wgt_ws_report(wgt_wgsl *m, wgt_severity severity, const char *code, uint32_t offset,
                   const char *help, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record(m, severity, code, offset, help, format, arguments);
    va_end(arguments);
}

bool wgt_ws_error(wgt_wgsl *m, const char *code, uint32_t token, const char *format, ...) {
    if (m->syntax_error)
        return false; /* a tree with holes gives misleading messages */
    va_list arguments;
    va_start(arguments, format);
    record(m, WGT_SEVERITY_ERROR, code, m->tokens[token].offset, NULL, format, arguments);
    va_end(arguments);
    return false;
}

static bool before(const wgt_diagnostic *a, const wgt_diagnostic *b) {
    if (a->line != b->line)
        return a->line < b->line;
    return a->column < b->column;
}

void wgt_ws_sort_diagnostics(wgt_wgsl *m) {
    for (size_t i = 1; i < m->diagnostic_count; i++) {
        wgt_diagnostic moving = m->diagnostics[i];
        size_t j = i;
        for (; j > 0 && before(&moving, &m->diagnostics[j - 1]); j--)
            m->diagnostics[j] = m->diagnostics[j - 1];
        m->diagnostics[j] = moving;
    }
}
