// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "rsp.hpp"

#include <cerrno>

namespace kdapl {

Status Rsp::create(const Ref<Ia> &ia, std::uint64_t conn_qual, const Ep *ep, const Evd &evd,
		   Ref<Rsp> &rsp)
{
	Draft<Rsp> draft(ia->provider(), ia.share(), conn_qual, ep, evd);
	kdapl_rsp_create arg{};

	arg.conn_qual = conn_qual;
	arg.ep = ep ? ep->id() : 0;
	arg.evd = evd.id();
	arg.user = draft->word();
	const int err = ia->device().call(KDAPL_RSP_CREATE, arg);
	if (err == EADDRNOTAVAIL)
		return fail(Type::conn_qual_unavailable);
	if (err)
		return from_errno(err, { .object = ep ? Sub::handle_ep : Sub::handle_evd_cr,
					 .state = ep ? state_sub(ep->state()) : Sub::none });
	draft->id_ = arg.id;
	rsp = ia->adopt(draft);
	return rsp ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Rsp::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_rsp });
}

} // namespace kdapl
