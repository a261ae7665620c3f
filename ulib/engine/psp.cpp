// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "psp.hpp"

#include <cerrno>

namespace kdapl {

Status Psp::listen(const Ref<Ia> &ia, kdapl_psp_create &arg, const Evd &evd, bool makes_eps,
		   Ref<Psp> &psp)
{
	Draft<Psp> draft(ia->provider(), ia.share(), evd, makes_eps);

	if (makes_eps)
		arg.flags |= KDAPL_PSP_PROVIDER;
	arg.evd = evd.id();
	arg.user = draft->word();
	const int err = ia->device().call(KDAPL_PSP_CREATE, arg);
	if (err == EADDRNOTAVAIL)
		return fail(Type::conn_qual_unavailable);
	if (err)
		return from_errno(err, { .object = Sub::handle_evd_cr });
	draft->id_ = arg.id;
	draft->conn_qual_ = arg.conn_qual;
	psp = ia->adopt(draft);
	if (!psp)
		return fail(Type::invalid_handle, Sub::handle_ia);
	ia->count(arg.flags & KDAPL_PSP_ANY ? ia_psp_create_any : ia_psp_create);
	return success;
}

Status Psp::create(const Ref<Ia> &ia, std::uint64_t conn_qual, const Evd &evd, bool makes_eps,
		   Ref<Psp> &psp)
{
	kdapl_psp_create arg{};

	arg.conn_qual = conn_qual;
	return listen(ia, arg, evd, makes_eps, psp);
}

Status Psp::create_any(const Ref<Ia> &ia, const Evd &evd, bool makes_eps, Ref<Psp> &psp)
{
	kdapl_psp_create arg{};

	arg.flags = KDAPL_PSP_ANY;
	return listen(ia, arg, evd, makes_eps, psp);
}

Status Psp::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_psp });
}

} // namespace kdapl
