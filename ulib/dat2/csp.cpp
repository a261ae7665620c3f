// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CSP.

#include "table.hpp"

#include "engine/csp.hpp"

#include <cstddef>

using namespace face;
using kdapl::Comm;
using kdapl::Csp;
using kdapl::Evd;
using kdapl::Ia;

/* Programs see the engine's. */
static_assert(sizeof(Comm) == sizeof(DAT_COMM));
static_assert(offsetof(Comm, domain) == offsetof(DAT_COMM, domain));
static_assert(offsetof(Comm, type) == offsetof(DAT_COMM, type));
static_assert(offsetof(Comm, protocol) == offsetof(DAT_COMM, protocol));
static_assert(static_cast<int>(kdapl::Kind::csp) == DAT_HANDLE_TYPE_CSP);

namespace face_own {

DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia_handle, DAT_COMM *comm, DAT_IA_ADDRESS_PTR address,
			  DAT_EVD_HANDLE evd_handle, DAT_CSP_HANDLE *csp_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		const auto evd = kdapl::pin<Evd>(evd_handle);
		Ref<Csp> csp;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (!comm)
			return bad_parameter(Sub::arg2);
		if (!address)
			return bad_parameter(Sub::arg3);
		if (!evd || &evd->ia() != ia.get() || !(evd->flags() & kdapl::evd_cr))
			return bad_handle(Sub::handle_evd_cr);
		if (!csp_handle)
			return bad_parameter(Sub::arg5);
		const Status status = Csp::create(ia, { comm->domain, comm->type, comm->protocol },
						  address, *evd, csp);
		if (status.ok())
			*csp_handle = to_dat(csp->handle());
		return status;
	});
}

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp_handle, DAT_CSP_PARAM_MASK csp_param_mask,
			 DAT_CSP_PARAM *csp_param)
{
	return call([&] {
		const auto csp = kdapl::pin<Csp>(csp_handle);

		if (!csp)
			return bad_handle(Sub::handle_csp);
		if (Status status = check_query(csp_param_mask, DAT_CSP_FIELD_ALL, csp_param);
		    !status.ok())
			return status;
		csp_param->ia_handle = version::shown_ia(csp->ia().handle());
		csp_param->comm = reinterpret_cast<DAT_COMM *>(const_cast<Comm *>(&csp->comm()));
		csp_param->address_ptr = const_cast<DAT_IA_ADDRESS_PTR>(csp->address());
		csp_param->evd_handle = to_dat(csp->evd());
		return success;
	});
}

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp_handle)
{
	return call([&] {
		const auto csp = kdapl::pin<Csp>(csp_handle);

		return csp ? csp->free() : bad_handle(Sub::handle_csp);
	});
}

} // namespace face_own
