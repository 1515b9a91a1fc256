/* Reads the CSV files of tests/data: a header, then rows of cells; lines that start with '#' are
 * remarks. */
#ifndef WGT_TEST_VECTORS_H
#define WGT_TEST_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 24

typedef struct vectors {
    FILE *file;
    char header[512], line[1024];
    char *names[MAX_COLUMNS], *cells[MAX_COLUMNS];
    size_t columns, number;
} vectors;

static inline size_t split(char *line, char *cells[MAX_COLUMNS]) {
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; count < MAX_COLUMNS; at++) {
        bool quoted = *at == '"';
        cells[count++] = quoted ? ++at : at;
        at += strcspn(at, quoted ? "\"" : ",");
        if (quoted && *at == '"') {
            *at++ = '\0';
        }
        if (*at == '\0') {
            break;
        }
        *at = '\0';
    }
    return count;
}

static inline bool vectors_open(vectors *v, const char *name) {
    char path[512];
    const char *folder = getenv("WGTUNE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "tests/data", name);
    *v = (vectors){.file = fopen(path, "r")};
    do {
        if (v->file == NULL || fgets(v->header, sizeof v->header, v->file) == NULL) {
            return false;
        }
        v->number++;
    } while (v->header[0] == '#');
    v->columns = split(v->header, v->names);
    return true;
}

static inline bool vectors_next(vectors *v) {
    if (fgets(v->line, sizeof v->line, v->file) == NULL) {
        fclose(v->file);
        return false;
    }
    v->number++;
    return split(v->line, v->cells) == v->columns;
}

/* The cell under a name; "" when there is no such column. */
static inline const char *cell(const vectors *v, const char *name) {
    for (size_t i = 0; i < v->columns; i++) {
        if (strcmp(v->names[i], name) == 0) {
            return v->cells[i];
        }
    }
    return "";
}

static inline uint64_t cell_u64(const vectors *v, const char *name) {
    return strtoull(cell(v, name), NULL, 10);
}

#endif
