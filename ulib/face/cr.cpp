// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CR.

#include "own.hpp"

#include "engine/cr.hpp"

using namespace face;
using kdapl::Cr;
using kdapl::Ep;

namespace face_own {

DAT_RETURN dat_cr_query(DAT_CR_HANDLE cr_handle, DAT_CR_PARAM_MASK cr_param_mask,
			DAT_CR_PARAM *cr_param)
{
	return call([&] {
		const auto cr = kdapl::pin<Cr>(cr_handle);
		Cr::Param *param;

		if (!cr)
			return bad_handle(Sub::handle_cr);
		if (Status status = check_query(cr_param_mask, DAT_CR_FIELD_ALL, cr_param);
		    !status.ok())
			return status;
		if (Status status = cr->query(param); !status.ok())
			return status;
		cr_param->remote_ia_address_ptr =
			reinterpret_cast<DAT_IA_ADDRESS_PTR>(&param->remote_address);
		cr_param->remote_port_qual = param->remote_port;
		cr_param->private_data_size = to_count(param->private_data_size);
		cr_param->private_data = param->private_data;
		cr_param->local_ep_handle = to_dat(cr->ep());
		return success;
	});
}

DAT_RETURN dat_cr_accept(DAT_CR_HANDLE cr_handle, DAT_EP_HANDLE ep_handle,
			 DAT_COUNT private_data_size, const DAT_PVOID private_data)
{
	return call([&] {
		const auto cr = kdapl::pin<Cr>(cr_handle);

		if (!cr)
			return bad_handle(Sub::handle_cr);
		if (cr->brings_ep() && ep_handle != DAT_HANDLE_NULL)
			return bad_handle(Sub::handle_ep);
		const auto ep = kdapl::pin<Ep>(cr->brings_ep() ? cr->ep() : ep_handle);
		if (!ep || &ep->ia() != &cr->ia())
			return bad_handle(Sub::handle_ep);
		if (private_data_size < 0)
			return bad_parameter(Sub::arg3);
		if (private_data_size && !private_data)
			return bad_parameter(Sub::arg4);
		return cr->accept(*ep, face::private_data(private_data_size, private_data));
	});
}

Status cr_reject(DAT_CR_HANDLE cr_handle, DAT_COUNT private_data_size, const void *private_data)
{
	const auto cr = kdapl::pin<Cr>(cr_handle);

	if (!cr)
		return bad_handle(Sub::handle_cr);
	if (private_data_size < 0)
		return bad_parameter(Sub::arg2);
	if (private_data_size && !private_data)
		return bad_parameter(Sub::arg3);
	return cr->reject(face::private_data(private_data_size, private_data));
}

DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE cr_handle, DAT_CONN_QUAL handoff)
{
	return call([&] {
		const auto cr = kdapl::pin<Cr>(cr_handle);

		return cr ? cr->hand_off(handoff) : bad_handle(Sub::handle_cr);
	});
}

} // namespace face_own
