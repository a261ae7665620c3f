/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int own_rank = -1;

void report_rank(int rank)
{
	own_rank = rank;
}

/* One write: lines of several processes stay whole. */
static void say(const char *format, va_list arguments)
{
	char line[512];
	int length = snprintf(line, sizeof(line), "# rank %d: ", own_rank);

	length += vsnprintf(line + length, sizeof(line) - (size_t)length - 1, format, arguments);
	if (length > (int)sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		abort();
}

void note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	_exit(1);
}

int tried(DAT_RETURN result, const char *call)
{
	const char *major;
	const char *minor;

	if (result == DAT_SUCCESS)
		return 1;
	if (dat_strerror(result, &major, &minor) != DAT_SUCCESS)
		fail("%s: 0x%x, which dat_strerror() does not know", call, result);
	note("%s: %s %s", call, major, minor);
	return 0;
}

void must(DAT_RETURN result, const char *call)
{
	if (!tried(result, call))
		_exit(1);
}

void must_refuse(DAT_RETURN result, DAT_RETURN type, DAT_RETURN subtype, const char *call)
{
	const char *major;
	const char *minor;

	if (DAT_GET_TYPE(result) == type && DAT_GET_SUBTYPE(result) == subtype)
		return;
	if (dat_strerror(result, &major, &minor) != DAT_SUCCESS)
		major = minor = "unknown to dat_strerror()";
	fail("%s: 0x%x (%s %s) instead of 0x%x", call, result, major, minor, type | subtype);
}
