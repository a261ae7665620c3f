// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "csp.hpp"

#include <cerrno>

namespace kdapl {

namespace {

Status create_status(int err) noexcept
{
	switch (err) {
	case EINVAL:
		/* All else was checked: the address is of another family. */
		return fail(Type::invalid_parameter, Sub::arg3);
	case EADDRINUSE:
		return fail(Type::port_in_use);
	default:
		return from_errno(err, { .object = Sub::handle_evd_cr });
	}
}

} // namespace

Status Csp::create(const Ref<Ia> &ia, const Comm &comm, const sockaddr *address, const Evd &evd,
		   Ref<Csp> &csp)
{
	Draft<Csp> draft(ia->provider(), ia.share(), comm, evd);
	kdapl_csp_create arg{};

	if (!from_sockaddr(address, arg.addr).ok())
		return fail(Type::comm_not_supported);
	arg.addr.port = port_of(address);
	arg.evd = evd.id();
	arg.domain = static_cast<std::uint32_t>(comm.domain);
	arg.type = static_cast<std::uint32_t>(comm.type);
	arg.protocol = static_cast<std::uint32_t>(comm.protocol);
	arg.user = draft->word();
	if (int err = ia->device().call(KDAPL_CSP_CREATE, arg))
		return create_status(err);
	draft->id_ = arg.id;
	draft->address_ = to_sockaddr(arg.addr);
	set_port(draft->address_, arg.addr.port);
	csp = ia->adopt(draft);
	return csp ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Csp::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_csp });
}

} // namespace kdapl
