// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "debug.hpp"

#include "uncancelled.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <syslog.h>

namespace kdapl {

namespace {

constexpr unsigned long type_error = 1;
constexpr unsigned long type_warning = 2;
constexpr unsigned long dest_stdout = 1;
constexpr unsigned long dest_syslog = 2;

unsigned long number_from_environment(const char *name, unsigned long otherwise) noexcept
{
	const char *text = std::getenv(name);

	return text ? std::strtoul(text, nullptr, 0) : otherwise;
}

/** By a registry's name for it; or by what OFED's providers call it. */
unsigned long setting(const char *name, const char *of_providers, unsigned long otherwise) noexcept
{
	return number_from_environment(name, number_from_environment(of_providers, otherwise));
}

void tell(int priority, const char *format, std::va_list args) noexcept
{
	static const unsigned long dest = setting("DAT_DBG_DEST", "DAPL_DBG_DEST", 0);
	const Uncancelled uncancelled;
	const int saved = errno;
	char line[1024];

	std::vsnprintf(line, sizeof line, format, args);
	if (dest & dest_syslog)
		syslog(LOG_USER | priority, "libdat: %s", line);
	if (dest & dest_stdout)
		std::fprintf(stdout, "libdat: %s\n", line);
	if (!(dest & (dest_stdout | dest_syslog)))
		std::fprintf(stderr, "libdat: %s\n", line);
	errno = saved;
}

} // namespace

void debug_error(const char *format, ...) noexcept
{
	static const unsigned long types = setting("DAT_DBG_TYPE", "DAPL_DBG_TYPE", 0);

	if (!(types & type_error))
		return;
	std::va_list args;
	va_start(args, format);
	tell(LOG_ERR, format, args);
	va_end(args);
}

void debug_warning(const char *format, ...) noexcept
{
	static const unsigned long types = setting("DAT_DBG_TYPE", "DAPL_DBG_TYPE", type_warning);

	if (!(types & (type_error | type_warning)))
		return;
	std::va_list args;
	va_start(args, format);
	tell(LOG_WARNING, format, args);
	va_end(args);
}

} // namespace kdapl
