// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "failure.hpp"

#include <cerrno>
#include <cstring>

namespace suite {

namespace {

std::string at(const std::string &what, const Location &where)
{
	const char *name = std::strrchr(where.file_name(), '/');

	return std::string(name ? name + 1 : where.file_name()) + ":" +
	       std::to_string(where.line()) + ": " + what;
}

} // namespace

Failure::Failure(const std::string &what, const Location &where)
	: std::runtime_error(at(what, where))
{
}

std::string result_name(DAT_RETURN result)
{
	const char *major = nullptr, *minor = nullptr;

	if (dat_strerror(result, &major, &minor) != DAT_SUCCESS || !major)
		return "result " + std::to_string(result);
	return std::string(major) + " (" + (minor ? minor : "") + ")";
}

void require(bool condition, const std::string &what, Location where)
{
	if (!condition)
		throw Failure(what, where);
}

void ok(DAT_RETURN result, Location where)
{
	if (result != DAT_SUCCESS)
		throw Failure("the call gave " + result_name(result), where);
}

void fails(DAT_RETURN_TYPE type, DAT_RETURN result, Location where)
{
	if (DAT_GET_TYPE(result) != static_cast<DAT_UINT32>(type) || !(result & DAT_CLASS_ERROR))
		throw Failure("the call gave " + result_name(result) + ", not " +
				      result_name(DAT_ERROR(type, 0)),
			      where);
}

long sys(long result, Location where)
{
	if (result < 0)
		throw Failure(std::strerror(errno), where);
	return result;
}

} // namespace suite
