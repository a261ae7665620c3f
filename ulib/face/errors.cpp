// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Engine results in the numbers of the DAT version.

#include "face.hpp"

namespace face {

namespace {

DAT_RETURN_TYPE type_of(Type type) noexcept
{
	switch (type) {
	case Type::success:
		return DAT_SUCCESS;
	case Type::abort:
		return DAT_ABORT;
	case Type::conn_qual_in_use:
		return DAT_CONN_QUAL_IN_USE;
	case Type::insufficient_resources:
		return DAT_INSUFFICIENT_RESOURCES;
	case Type::internal_error:
		return DAT_INTERNAL_ERROR;
	case Type::invalid_handle:
		return DAT_INVALID_HANDLE;
	case Type::invalid_parameter:
		return DAT_INVALID_PARAMETER;
	case Type::invalid_state:
		return DAT_INVALID_STATE;
	case Type::length_error:
		return DAT_LENGTH_ERROR;
	case Type::model_not_supported:
		return DAT_MODEL_NOT_SUPPORTED;
	case Type::provider_not_found:
		return DAT_PROVIDER_NOT_FOUND;
	case Type::provider_already_registered:
		return DAT_PROVIDER_ALREADY_REGISTERED;
	case Type::provider_in_use:
		return DAT_PROVIDER_IN_USE;
	case Type::privileges_violation:
		return DAT_PRIVILEGES_VIOLATION;
	case Type::protection_violation:
		return DAT_PROTECTION_VIOLATION;
	case Type::queue_empty:
		return DAT_QUEUE_EMPTY;
	case Type::queue_full:
		return DAT_QUEUE_FULL;
	case Type::timeout_expired:
		return DAT_TIMEOUT_EXPIRED;
	case Type::invalid_address:
		return DAT_INVALID_ADDRESS;
	case Type::interrupted_call:
		return DAT_INTERRUPTED_CALL;
	case Type::conn_qual_unavailable:
		return DAT_CONN_QUAL_UNAVAILABLE;
	case Type::port_in_use:
		return version::port_in_use;
	case Type::comm_not_supported:
		return version::comm_not_supported;
	case Type::not_implemented:
		return DAT_NOT_IMPLEMENTED;
	}
	return DAT_INTERNAL_ERROR;
}

/* One row per engine subtype, in the order of the enumeration. */
constexpr DAT_RETURN_SUBTYPE subtypes[] = {
	DAT_NO_SUBTYPE,
	DAT_RESOURCE_MEMORY,
	DAT_RESOURCE_DEVICE,
	DAT_RESOURCE_TEP,
	DAT_RESOURCE_TEVD,
	DAT_RESOURCE_PROTECTION_DOMAIN,
	DAT_RESOURCE_MEMORY_REGION,
	DAT_RESOURCE_CREDITS,
	DAT_RESOURCE_SRQ,
	DAT_INVALID_HANDLE_IA,
	DAT_INVALID_HANDLE_EP,
	DAT_INVALID_HANDLE_LMR,
	DAT_INVALID_HANDLE_RMR,
	DAT_INVALID_HANDLE_PZ,
	DAT_INVALID_HANDLE_PSP,
	DAT_INVALID_HANDLE_RSP,
	DAT_INVALID_HANDLE_CR,
	DAT_INVALID_HANDLE_CNO,
	DAT_INVALID_HANDLE_EVD_CR,
	DAT_INVALID_HANDLE_EVD_REQUEST,
	DAT_INVALID_HANDLE_EVD_RECV,
	DAT_INVALID_HANDLE_EVD_CONN,
	DAT_INVALID_HANDLE_EVD_ASYNC,
	DAT_INVALID_HANDLE_SRQ,
	version::handle_csp,
	DAT_INVALID_HANDLE1,
	DAT_INVALID_HANDLE2,
	DAT_INVALID_ARG1,
	DAT_INVALID_ARG2,
	DAT_INVALID_ARG3,
	DAT_INVALID_ARG4,
	DAT_INVALID_ARG5,
	DAT_INVALID_ARG6,
	DAT_INVALID_ARG7,
	DAT_INVALID_ARG8,
	DAT_INVALID_ARG9,
	DAT_INVALID_STATE_EP_UNCONNECTED,
	DAT_INVALID_STATE_EP_ACTCONNPENDING,
	DAT_INVALID_STATE_EP_PASSCONNPENDING,
	DAT_INVALID_STATE_EP_TENTCONNPENDING,
	DAT_INVALID_STATE_EP_CONNECTED,
	DAT_INVALID_STATE_EP_DISCONNECTED,
	DAT_INVALID_STATE_EP_RESERVED,
	DAT_INVALID_STATE_EP_COMPLPENDING,
	DAT_INVALID_STATE_EP_DISCPENDING,
	DAT_INVALID_STATE_EP_NOTREADY,
	DAT_INVALID_STATE_CNO_IN_USE,
	DAT_INVALID_STATE_EVD_UNWAITABLE,
	DAT_INVALID_STATE_EVD_IN_USE,
	DAT_INVALID_STATE_EVD_WAITER,
	DAT_INVALID_STATE_EVD_CONFIG_NOTIFY,
	DAT_INVALID_STATE_EVD_CONFIG_SOLICITED,
	DAT_INVALID_STATE_IA_IN_USE,
	DAT_INVALID_STATE_LMR_IN_USE,
	DAT_INVALID_STATE_PZ_IN_USE,
	DAT_INVALID_STATE_SRQ_IN_USE,
	DAT_PRIVILEGES_READ,
	DAT_PRIVILEGES_WRITE,
	DAT_PROTECTION_READ,
	DAT_PROTECTION_WRITE,
	DAT_INVALID_ADDRESS_UNSUPPORTED,
	DAT_INVALID_ADDRESS_UNREACHABLE,
	DAT_INVALID_ADDRESS_MALFORMED,
	DAT_NAME_NOT_REGISTERED,
	DAT_MAJOR_NOT_FOUND,
	DAT_MINOR_NOT_FOUND,
	DAT_THREAD_SAFETY_NOT_FOUND,
};
static_assert(std::size(subtypes) == static_cast<std::size_t>(Sub::thread_safety_not_found) + 1);
static_assert(subtypes[static_cast<std::size_t>(Sub::handle1)] == DAT_INVALID_HANDLE1);
static_assert(subtypes[static_cast<std::size_t>(Sub::arg9)] == DAT_INVALID_ARG9);
static_assert(subtypes[static_cast<std::size_t>(Sub::pz_in_use)] == DAT_INVALID_STATE_PZ_IN_USE);

} // namespace

DAT_RETURN failure(Status status) noexcept
{
	return error(type_of(status.type), subtypes[static_cast<std::size_t>(status.sub)]);
}

} // namespace face
