// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The errnos of the module; include/uapi/kdapl.h lists what each one means.

#include "errors.hpp"

#include <cerrno>

namespace kdapl {

Status from_errno(int err, const ErrnoMeaning &meaning) noexcept
{
	switch (err) {
	case 0:
		return success;
	case ENOTTY:
		return fail(Type::not_implemented);
	case EINVAL:
		return fail(Type::invalid_parameter, meaning.argument);
	case E2BIG:
	case EFAULT:
	case EMSGSIZE:
		return fail(Type::invalid_parameter);
	case ENOENT:
		return fail(Type::invalid_handle, meaning.object);
	case EBADFD:
		return fail(Type::invalid_state, meaning.state);
	case EBUSY:
		return fail(Type::invalid_state, meaning.busy);
	case EPERM:
		return fail(Type::protection_violation);
	case EACCES:
		return fail(Type::privileges_violation);
	case ENOMEM:
		return fail(Type::insufficient_resources, Sub::resource_memory);
	case EMFILE:
	case ENFILE:
		return fail(Type::insufficient_resources);
	case EDQUOT:
	case ENOSPC:
		return fail(Type::insufficient_resources, meaning.limit);
	case EOPNOTSUPP:
		return fail(Type::model_not_supported);
	case EPROTONOSUPPORT:
		return fail(Type::comm_not_supported);
	case EADDRINUSE:
		return fail(Type::conn_qual_in_use);
	case EADDRNOTAVAIL:
		return fail(Type::invalid_address, Sub::address_unreachable);
	case ENOBUFS:
		return fail(Type::queue_full);
	case ETIMEDOUT:
		return fail(Type::timeout_expired);
	case EINTR:
		return fail(Type::interrupted_call);
	case ECANCELED:
		return fail(Type::abort);
	default:
		return fail(Type::internal_error);
	}
}

} // namespace kdapl
