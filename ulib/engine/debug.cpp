// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "debug.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <syslog.h>

namespace kdapl {

namespace {

constexpr unsigned long type_error = 1;
constexpr unsigned long dest_stdout = 1;
constexpr unsigned long dest_syslog = 2;

unsigned long number_from_environment(const char *name) noexcept
{
	const char *text = std::getenv(name);

	return text ? std::strtoul(text, nullptr, 0) : 0;
}

} // namespace

void debug_error(const char *format, ...) noexcept
{
	static const unsigned long types = number_from_environment("DAT_DBG_TYPE");
	static const unsigned long dest = number_from_environment("DAT_DBG_DEST");

	if (!(types & type_error))
		return;

	const int saved = errno;
	char line[512];
	std::va_list args;
	va_start(args, format);
	std::vsnprintf(line, sizeof line, format, args);
	va_end(args);

	if (dest & dest_syslog)
		syslog(LOG_USER | LOG_ERR, "libdat: %s", line);
	if (dest & dest_stdout)
		std::fprintf(stdout, "libdat: %s\n", line);
	if (!(dest & (dest_stdout | dest_syslog)))
		std::fprintf(stderr, "libdat: %s\n", line);
	errno = saved;
}

} // namespace kdapl
