/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What went wrong, said before the process ends. */
#ifndef COMPAT_REPORT_H
#define COMPAT_REPORT_H

#include <dat/udat.h>

/** Which process says so; -1 is the launcher. */
void report_rank(int rank);

void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Says why and ends the process. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** A call that must succeed. */
void must(DAT_RETURN result, const char *call);

/** A call that may fail: says why, and returns whether it succeeded. */
int tried(DAT_RETURN result, const char *call);

/** A call that must fail like this. */
void must_refuse(DAT_RETURN result, DAT_RETURN type, DAT_RETURN subtype, const char *call);

#endif /* COMPAT_REPORT_H */
