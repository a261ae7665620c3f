// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// RMR.

#include "own.hpp"

#include "engine/rmr.hpp"

using namespace face;
using kdapl::Ep;
using kdapl::Pz;
using kdapl::Rmr;

namespace face_own {

DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE *rmr_handle)
{
	return call([&] {
		const auto pz = kdapl::pin<Pz>(pz_handle);
		Ref<Rmr> rmr;

		if (!pz)
			return bad_handle(Sub::handle_pz);
		if (!rmr_handle)
			return bad_parameter(Sub::arg2);
		const Status status = Rmr::create(*pz, rmr);
		if (status.ok())
			*rmr_handle = to_dat(rmr->handle());
		return status;
	});
}

DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr_handle, DAT_RMR_PARAM_MASK rmr_param_mask,
			 DAT_RMR_PARAM *rmr_param)
{
	return call([&] {
		const auto rmr = kdapl::pin<Rmr>(rmr_handle);

		if (!rmr)
			return bad_handle(Sub::handle_rmr);
		if (Status status = check_query(rmr_param_mask, DAT_RMR_FIELD_ALL, rmr_param);
		    !status.ok())
			return status;

		const Rmr::Binding binding = rmr->binding();
		*rmr_param = {};
		rmr_param->ia_handle = version::shown_ia(rmr->ia().handle());
		rmr_param->pz_handle = to_dat(rmr->pz());
		rmr_param->lmr_triplet.lmr_context = binding.segment.lmr;
		rmr_param->lmr_triplet.virtual_address = binding.segment.address;
		rmr_param->lmr_triplet.segment_length = binding.segment.length;
		rmr_param->mem_priv = static_cast<DAT_MEM_PRIV_FLAGS>(binding.privileges);
		rmr_param->rmr_context = binding.context;
		version::finish(*rmr_param);
		return success;
	});
}

Status rmr_bind(const RmrBind &asked)
{
	const auto rmr = kdapl::pin<Rmr>(asked.rmr);
	const auto ep = kdapl::pin<Ep>(asked.ep);
	const DAT_LMR_TRIPLET *triplet = asked.lmr_triplet;

	if (!rmr)
		return bad_handle(Sub::handle_rmr);
	if (!triplet)
		return bad_parameter(Sub::arg2);
	if (bits(asked.privileges) & ~std::uint32_t{ KDAPL_PRIV_ALL })
		return bad_parameter(Sub::arg3);
	if (!ep || &ep->ia() != &rmr->ia())
		return bad_handle(Sub::handle_ep);
	if (!asked.context)
		return bad_parameter(Sub::arg7);
	return rmr->bind(*ep,
			 { .segment = { triplet->virtual_address, triplet->segment_length,
					triplet->lmr_context },
			   .privileges = bits(asked.privileges),
			   .flags = bits(asked.flags),
			   .cookie = asked.cookie.as_64 },
			 *asked.context);
}

DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr_handle)
{
	return call([&] {
		const auto rmr = kdapl::pin<Rmr>(rmr_handle);

		return rmr ? rmr->free() : bad_handle(Sub::handle_rmr);
	});
}

} // namespace face_own
