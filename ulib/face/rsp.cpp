// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// RSP.

#include "face.hpp"

#include "engine/rsp.hpp"

using namespace face;
using kdapl::Ep;
using kdapl::Evd;
using kdapl::Ia;
using kdapl::Rsp;

namespace face_own {

DAT_RETURN dat_rsp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL conn_qual, DAT_EP_HANDLE ep_handle,
			  DAT_EVD_HANDLE evd_handle, DAT_RSP_HANDLE *rsp_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		const auto ep = kdapl::pin<Ep>(ep_handle);
		const auto evd = kdapl::pin<Evd>(evd_handle);
		Ref<Rsp> rsp;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (ep_handle != DAT_HANDLE_NULL && (!ep || &ep->ia() != ia.get()))
			return bad_handle(Sub::handle_ep);
		if (!evd || &evd->ia() != ia.get() || !(evd->flags() & kdapl::evd_cr))
			return bad_handle(Sub::handle_evd_cr);
		if (!conn_qual)
			return bad_parameter(Sub::arg2);
		if (!rsp_handle)
			return bad_parameter(Sub::arg5);
		const Status status = Rsp::create(ia, conn_qual, ep.get(), *evd, rsp);
		if (status.ok())
			*rsp_handle = to_dat(rsp->handle());
		return status;
	});
}

DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE rsp_handle, DAT_RSP_PARAM_MASK rsp_param_mask,
			 DAT_RSP_PARAM *rsp_param)
{
	return call([&] {
		const auto rsp = kdapl::pin<Rsp>(rsp_handle);

		if (!rsp)
			return bad_handle(Sub::handle_rsp);
		if (Status status = check_query(rsp_param_mask, DAT_RSP_FIELD_ALL, rsp_param);
		    !status.ok())
			return status;
		rsp_param->ia_handle = version::shown_ia(rsp->ia().handle());
		rsp_param->conn_qual = rsp->conn_qual();
		rsp_param->evd_handle = to_dat(rsp->evd());
		rsp_param->ep_handle = to_dat(rsp->ep());
		return success;
	});
}

DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE rsp_handle)
{
	return call([&] {
		const auto rsp = kdapl::pin<Rsp>(rsp_handle);

		return rsp ? rsp->free() : bad_handle(Sub::handle_rsp);
	});
}

} // namespace face_own
