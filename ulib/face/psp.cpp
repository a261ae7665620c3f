// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// PSP.

#include "face.hpp"

#include "engine/psp.hpp"

using namespace face;
using kdapl::Evd;
using kdapl::Ia;
using kdapl::Psp;

namespace {

/** What both ways to make a PSP check alike. */
Status check(const Ref<Ia> &ia, const Ref<Evd> &evd, DAT_PSP_FLAGS flags,
	     const DAT_PSP_HANDLE *psp_handle) noexcept
{
	if (!ia)
		return bad_handle(Sub::handle_ia);
	if (!evd || &evd->ia() != ia.get() || !(evd->flags() & kdapl::evd_cr))
		return bad_handle(Sub::handle_evd_cr);
	if (bits(flags) & ~bits(DAT_PSP_PROVIDER_FLAG))
		return bad_parameter(Sub::arg4);
	if (!psp_handle)
		return bad_parameter(Sub::arg5);
	return success;
}

bool makes_eps(DAT_PSP_FLAGS flags) noexcept
{
	return flags == DAT_PSP_PROVIDER_FLAG;
}

} // namespace

namespace face_own {

DAT_RETURN dat_psp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL conn_qual,
			  DAT_EVD_HANDLE evd_handle, DAT_PSP_FLAGS psp_flags,
			  DAT_PSP_HANDLE *psp_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		const auto evd = kdapl::pin<Evd>(evd_handle);
		Ref<Psp> psp;

		if (Status status = check(ia, evd, psp_flags, psp_handle); !status.ok())
			return status;
		if (!conn_qual)
			return bad_parameter(Sub::arg2);
		const Status status = Psp::create(ia, conn_qual, *evd, makes_eps(psp_flags), psp);
		if (status.ok())
			*psp_handle = to_dat(psp->handle());
		return status;
	});
}

DAT_RETURN dat_psp_create_any(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL *conn_qual,
			      DAT_EVD_HANDLE evd_handle, DAT_PSP_FLAGS psp_flags,
			      DAT_PSP_HANDLE *psp_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		const auto evd = kdapl::pin<Evd>(evd_handle);
		Ref<Psp> psp;

		if (Status status = check(ia, evd, psp_flags, psp_handle); !status.ok())
			return status;
		if (!conn_qual)
			return bad_parameter(Sub::arg2);
		const Status status = Psp::create_any(ia, *evd, makes_eps(psp_flags), psp);
		if (status.ok()) {
			*conn_qual = psp->conn_qual();
			*psp_handle = to_dat(psp->handle());
		}
		return status;
	});
}

DAT_RETURN dat_psp_query(DAT_PSP_HANDLE psp_handle, DAT_PSP_PARAM_MASK psp_param_mask,
			 DAT_PSP_PARAM *psp_param)
{
	return call([&] {
		const auto psp = kdapl::pin<Psp>(psp_handle);

		if (!psp)
			return bad_handle(Sub::handle_psp);
		if (Status status = check_query(psp_param_mask, DAT_PSP_FIELD_ALL, psp_param);
		    !status.ok())
			return status;
		psp_param->ia_handle = version::shown_ia(psp->ia().handle());
		psp_param->conn_qual = psp->conn_qual();
		psp_param->evd_handle = to_dat(psp->evd());
		psp_param->psp_flags =
			psp->makes_eps() ? DAT_PSP_PROVIDER_FLAG : DAT_PSP_CONSUMER_FLAG;
		return success;
	});
}

DAT_RETURN dat_psp_free(DAT_PSP_HANDLE psp_handle)
{
	return call([&] {
		const auto psp = kdapl::pin<Psp>(psp_handle);

		return psp ? psp->free() : bad_handle(Sub::handle_psp);
	});
}

} // namespace face_own
