// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// SRQ.

#include "face.hpp"

#include "engine/srq.hpp"

#include "segments.hpp"

using namespace face;
using kdapl::Ia;
using kdapl::Pz;
using kdapl::Srq;

namespace {

Status check_attr(const Ia &ia, const DAT_SRQ_ATTR *attr) noexcept
{
	const kdapl_ia_query &limit = ia.attributes();

	if (!attr)
		return bad_parameter(Sub::arg3);
	if (attr->max_recv_dtos <= 0 || attr->max_recv_iov < 0 ||
	    attr->low_watermark != DAT_SRQ_LW_DEFAULT)
		return bad_parameter(Sub::arg3);
	if (static_cast<std::uint32_t>(attr->max_recv_iov) > limit.max_srq_iov)
		return bad_parameter(Sub::arg3);
	if (static_cast<std::uint32_t>(attr->max_recv_dtos) > limit.max_srq_recvs)
		return fail(Type::insufficient_resources, Sub::resource_srq);
	return success;
}

} // namespace

namespace face_own {

DAT_RETURN dat_srq_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle, DAT_SRQ_ATTR *srq_attr,
			  DAT_SRQ_HANDLE *srq_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		const auto pz = kdapl::pin<Pz>(pz_handle);
		Ref<Srq> srq;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (!pz || &pz->ia() != ia.get())
			return bad_handle(Sub::handle_pz);
		if (!ia->attributes().max_srqs)
			return fail(Type::model_not_supported);
		if (Status status = check_attr(*ia, srq_attr); !status.ok())
			return status;
		if (!srq_handle)
			return bad_parameter(Sub::arg4);
		const auto count = [](DAT_COUNT c) { return static_cast<std::uint32_t>(c); };
		const Status status = Srq::create(ia, *pz, count(srq_attr->max_recv_dtos),
						  count(srq_attr->max_recv_iov), srq);
		if (status.ok())
			*srq_handle = to_dat(srq->handle());
		return status;
	});
}

DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE srq_handle)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);

		return srq ? srq->free() : bad_handle(Sub::handle_srq);
	});
}

DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE srq_handle, DAT_COUNT num_segments,
			     DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);
		Segments segments;

		if (!srq)
			return bad_handle(Sub::handle_srq);
		if (Status status = segments.fill(num_segments, local_iov); !status.ok())
			return status;
		return srq->post(segments.all(), user_cookie.as_64);
	});
}

DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE srq_handle, DAT_SRQ_PARAM_MASK srq_param_mask,
			 DAT_SRQ_PARAM *srq_param)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);

		if (!srq)
			return bad_handle(Sub::handle_srq);
		if (Status status = check_query(srq_param_mask, DAT_SRQ_FIELD_ALL, srq_param);
		    !status.ok())
			return status;
		const kdapl::SrqCounts counts = srq->counts();
		srq_param->ia_handle = version::shown_ia(srq->ia().handle());
		srq_param->srq_state =
			srq->failed() ? DAT_SRQ_STATE_ERROR : DAT_SRQ_STATE_OPERATIONAL;
		srq_param->pz_handle = to_dat(srq->pz());
		srq_param->max_recv_dtos = to_count(counts.max_recvs);
		srq_param->max_recv_iov = to_count(srq->max_iov());
		srq_param->low_watermark = to_count(counts.low);
		srq_param->available_dto_count = to_count(counts.available);
		srq_param->outstanding_dto_count = to_count(counts.outstanding);
		return success;
	});
}

DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE srq_handle, DAT_COUNT srq_max_recv_dto)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);

		if (!srq)
			return bad_handle(Sub::handle_srq);
		if (srq_max_recv_dto <= 0)
			return bad_parameter(Sub::arg2);
		const auto max_recvs = static_cast<std::uint32_t>(srq_max_recv_dto);
		if (max_recvs > srq->ia().attributes().max_srq_recvs)
			return fail(Type::insufficient_resources, Sub::resource_srq);
		return srq->resize(max_recvs);
	});
}

DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE srq_handle, DAT_COUNT low_watermark)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);

		if (!srq)
			return bad_handle(Sub::handle_srq);
		if (low_watermark < 0)
			return bad_parameter(Sub::arg2);
		return srq->set_low(static_cast<std::uint32_t>(low_watermark));
	});
}

} // namespace face_own
