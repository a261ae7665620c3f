// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The face: extern "C" calls that check their arguments, call the engine and
 * translate. What they share is here.
 */
#pragma once

#include "version.hpp"

#include "engine/errors.hpp"
#include "engine/handle.hpp"

#include <algorithm>
#include <climits>
#include <cxxabi.h>
#include <limits>
#include <new>
#include <pthread.h>
#include <span>

namespace face {

using kdapl::fail;
using kdapl::Handle;
using kdapl::Ref;
using kdapl::Status;
using kdapl::Sub;
using kdapl::success;
using kdapl::Type;

/** A failure; not every version's headers have a macro for it. */
constexpr DAT_RETURN error(DAT_RETURN_TYPE type,
			   DAT_RETURN_SUBTYPE subtype = DAT_NO_SUBTYPE) noexcept
{
	return DAT_CLASS_ERROR | static_cast<DAT_RETURN>(type) | static_cast<DAT_RETURN>(subtype);
}

/** A failure of the engine in the numbers of this DAT version. */
DAT_RETURN failure(Status status) noexcept;

/** The same for any result. */
inline DAT_RETURN to_dat(Status status) noexcept
{
	if (status.ok())
		return DAT_SUCCESS;
	return status.type == Type::queue_empty ? version::queue_empty : failure(status);
}

/** Run the body of a call; no exception leaves the library. */
template <class Body>
DAT_RETURN call(Body &&body) noexcept
{
	try {
		return to_dat(body());
	} catch (const std::bad_alloc &) {
		return error(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	} catch (...) {
		return error(DAT_INTERNAL_ERROR);
	}
}

/** A call that sleeps: its thread can be cancelled while it does, and nowhere else in here. */
template <class Body>
DAT_RETURN sleeping_call(Body &&body)
{
	DAT_RETURN ret;
	int type;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	try {
		ret = to_dat(body());
	} catch (const abi::__forced_unwind &) {
		throw;
	} catch (const std::bad_alloc &) {
		ret = error(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	} catch (...) {
		ret = error(DAT_INTERNAL_ERROR);
	}
	pthread_setcanceltype(type, nullptr);
	return ret;
}

constexpr Status bad_parameter(Sub argument) noexcept
{
	return fail(Type::invalid_parameter, argument);
}

constexpr Status bad_handle(Sub handle) noexcept
{
	return fail(Type::invalid_handle, handle);
}

/** The engine's handle as programs hold it. They may not write through it. */
inline DAT_HANDLE to_dat(Handle handle) noexcept
{
	return const_cast<DAT_HANDLE>(handle);
}

inline DAT_BOOLEAN to_dat(bool value) noexcept
{
	return value ? DAT_TRUE : DAT_FALSE;
}

/** A count that may not fit DAT's signed one. */
inline DAT_COUNT to_count(std::uint64_t value) noexcept
{
	return static_cast<DAT_COUNT>(std::min<std::uint64_t>(value, INT_MAX));
}

/** A size, or the largest one that the member holds which tells it. */
template <class Size>
void tell_size(std::uint64_t size, Size &member) noexcept
{
	member = static_cast<Size>(std::min<std::uint64_t>(size, std::numeric_limits<Size>::max()));
}

/** Bits of an enumeration that programs may set freely. */
template <class Flags>
constexpr std::uint32_t bits(Flags flags) noexcept
{
	return static_cast<std::uint32_t>(flags);
}

/** A query may ask only for fields there are, and needs somewhere to put them. */
template <class Mask>
Status check_query(Mask mask, Mask all, const void *param) noexcept
{
	if (bits(mask) & ~bits(all))
		return bad_parameter(Sub::arg2);
	return param ? success : bad_parameter(Sub::arg3);
}

/** Private data as programs give it; the caller has checked it. */
inline std::span<const unsigned char> private_data(DAT_COUNT size, const void *data) noexcept
{
	return { static_cast<const unsigned char *>(data), static_cast<std::size_t>(size) };
}

} // namespace face
