/* Lints: what is right WGSL but costs time, memory or portability, each with a code, a place and a remedy, and the
 * static counts that explain a register or local-memory limit. They run on a module without errors, after the
 * reflection, and add warnings and remarks to the module's diagnostics.
 *
 * lint.c runs them, lint_*.c hold the rules by subject, live.c the counts. A rule stays silent where it is unsure: a
 * remark has to be worth a person's time. */
#ifndef WGT_WGSL_LINT_H
#define WGT_WGSL_LINT_H

#include "internal.h"

#endif
