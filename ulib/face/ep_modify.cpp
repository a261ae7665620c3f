// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EP: changing its parameters.

#include "face.hpp"

#include "engine/ep.hpp"

#include <optional>

using namespace face;
using kdapl::Ep;
using kdapl::EpAttributes;
using kdapl::EpModify;
using kdapl::EpState;
using kdapl::Evd;
using kdapl::Ia;
using kdapl::Pz;

namespace {

constexpr DAT_EP_PARAM_MASK never_changes =
	DAT_EP_FIELD_IA_HANDLE | DAT_EP_FIELD_EP_STATE | DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR |
	DAT_EP_FIELD_LOCAL_PORT_QUAL | DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR |
	DAT_EP_FIELD_REMOTE_PORT_QUAL | DAT_EP_FIELD_SRQ_HANDLE | version::fixed_ep_fields;

constexpr DAT_EP_PARAM_MASK named_attributes =
	DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR | DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR |
	DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR;

/** Of the IA's, or none; what the page calls an invalid parameter. */
Status find(const Ia &ia, DAT_EVD_HANDLE handle, std::uint32_t stream, Ref<Evd> &evd,
	    std::optional<const Evd *> &change) noexcept
{
	evd = kdapl::pin<Evd>(handle);
	if (handle != DAT_HANDLE_NULL && (!evd || &evd->ia() != &ia || !(evd->flags() & stream)))
		return bad_parameter(Sub::arg3);
	change = evd.get();
	return success;
}

/** The objects that an EP is to have, kept while the call lasts. */
struct Objects {
	Ref<Pz> pz;
	Ref<Evd> recv, request, connect;

	Status find_all(const Ia &ia, DAT_EP_PARAM_MASK mask, const DAT_EP_PARAM &param,
			EpModify &change) noexcept
	{
		Status status = success;

		if (mask & DAT_EP_FIELD_PZ_HANDLE) {
			pz = kdapl::pin<Pz>(param.pz_handle);
			if (!pz || &pz->ia() != &ia)
				return bad_parameter(Sub::arg3);
			change.pz = pz.get();
		}
		if (mask & DAT_EP_FIELD_RECV_EVD_HANDLE)
			status = find(ia, param.recv_evd_handle, kdapl::evd_dto, recv,
				      change.recv_evd);
		if (status.ok() && mask & DAT_EP_FIELD_REQUEST_EVD_HANDLE)
			status = find(ia, param.request_evd_handle, kdapl::evd_dto, request,
				      change.request_evd);
		if (status.ok() && mask & DAT_EP_FIELD_CONNECT_EVD_HANDLE)
			status = find(ia, param.connect_evd_handle, kdapl::evd_connection, connect,
				      change.connect_evd);
		return status;
	}
};

/** Takes over attributes that are asked for; counts must not be negative. */
class Changes {
public:
	explicit Changes(DAT_EP_PARAM_MASK mask) noexcept : mask_(mask) {}

	void count(DAT_EP_PARAM_MASK field, DAT_COUNT value, std::uint32_t &attribute) noexcept
	{
		if (!(mask_ & field))
			return;
		good_ = good_ && value >= 0;
		attribute = static_cast<std::uint32_t>(value);
	}
	/** With an SRQ they may be as many as there are. */
	void recvs(DAT_EP_PARAM_MASK field, DAT_COUNT value, bool has_srq,
		   std::uint32_t &attribute) noexcept
	{
		if (mask_ & field && has_srq && value == DAT_HW_DEFAULT)
			attribute = kdapl::any_recvs;
		else
			count(field, value, attribute);
	}
	void mark(DAT_EP_PARAM_MASK field, DAT_COUNT value, std::uint32_t &attribute) noexcept
	{
		static_assert(static_cast<std::uint32_t>(DAT_HW_DEFAULT) == kdapl::mark_infinite);
		require(field, value > 0 || value == DAT_HW_DEFAULT);
		if (mask_ & field)
			attribute = static_cast<std::uint32_t>(value);
	}
	void flags(DAT_EP_PARAM_MASK field, DAT_COMPLETION_FLAGS value,
		   std::uint32_t &attribute) noexcept
	{
		if (mask_ & field)
			attribute = bits(value);
	}
	void size(DAT_EP_PARAM_MASK field, DAT_VLEN value, std::uint64_t &attribute) noexcept
	{
		if (mask_ & field)
			attribute = value;
	}
	void require(DAT_EP_PARAM_MASK field, bool right) noexcept
	{
		good_ = good_ && (right || !(mask_ & field));
	}
	bool good() const noexcept { return good_; }

private:
	DAT_EP_PARAM_MASK mask_;
	bool good_ = true;
};

/** What the library has one value for may be set to that value. */
void require_only_values(Changes &changes, const DAT_EP_ATTR &from) noexcept
{
	changes.require(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE,
			from.service_type == DAT_SERVICE_TYPE_RC);
	changes.require(DAT_EP_FIELD_EP_ATTR_QOS, from.qos == DAT_QOS_BEST_EFFORT);
	changes.require(DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR |
				DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR,
			!from.ep_transport_specific_count);
	changes.require(DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR |
				DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR,
			!from.ep_provider_specific_count);
}

bool merge(DAT_EP_PARAM_MASK mask, const DAT_EP_ATTR &from, bool has_srq, EpAttributes &to) noexcept
{
	Changes changes(mask);

	require_only_values(changes, from);
	changes.size(DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE, from.max_message_size,
		     to.max_message_size);
	changes.size(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE, from.max_rdma_size, to.max_rdma_size);
	changes.flags(DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, from.recv_completion_flags,
		      to.recv_completion_flags);
	changes.flags(DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS, from.request_completion_flags,
		      to.request_completion_flags);
	changes.recvs(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, from.max_recv_dtos, has_srq,
		      to.max_recvs);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS, from.max_request_dtos,
		      to.max_requests);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV, from.max_recv_iov, to.max_recv_iov);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV, from.max_request_iov,
		      to.max_request_iov);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN, from.max_rdma_read_in,
		      to.max_rdma_read_in);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, from.max_rdma_read_out,
		      to.max_rdma_read_out);
	changes.mark(DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW, from.srq_soft_hw, to.soft_mark);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV, from.max_rdma_read_iov,
		      to.max_rdma_read_iov);
	changes.count(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV, from.max_rdma_write_iov,
		      to.max_rdma_write_iov);
	return changes.good();
}

/**
 * The queue of a new EVD gets the default size, where there is none; without an EVD there
 * is no queue.
 */
void size_queue(const std::optional<const Evd *> &evd, std::uint32_t standard,
		std::uint32_t &size) noexcept
{
	if (evd && !*evd)
		size = 0;
	else if (evd && !size)
		size = standard;
}

/** Unless the program says what its size is. */
void size_queues(DAT_EP_PARAM_MASK mask, const Ep &ep, const EpModify &change,
		 EpAttributes &attributes) noexcept
{
	const EpAttributes standard = ep.standard();

	if (!(mask & DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS) && !ep.srq())
		size_queue(change.recv_evd, standard.max_recvs, attributes.max_recvs);
	if (!(mask & DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS))
		size_queue(change.request_evd, standard.max_requests, attributes.max_requests);
}

} // namespace

namespace face_own {

DAT_RETURN dat_ep_modify(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
			 const DAT_EP_PARAM *ep_param)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		Objects objects;
		EpModify change{};

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (ep_param_mask & (~DAT_EP_FIELD_ALL | never_changes))
			return bad_parameter(Sub::arg2);
		if (!ep_param)
			return bad_parameter(Sub::arg3);
		if (!ep_param_mask)
			return success;
		if (EpState now = ep->state();
		    ep_param_mask & named_attributes && now != EpState::unconnected)
			return fail(Type::invalid_state, state_sub(now));
		if (Status status = objects.find_all(ep->ia(), ep_param_mask, *ep_param, change);
		    !status.ok())
			return status;
		/* What is not named stays as it is, also beside another change. */
		std::lock_guard lock(ep->modify_mutex());
		change.attributes = ep->attributes();
		if (!merge(ep_param_mask, ep_param->ep_attr, ep->srq() != nullptr,
			   change.attributes))
			return bad_parameter(Sub::arg3);
		size_queues(ep_param_mask, *ep, change, change.attributes);
		change.fixes_depths = ep_param_mask & (DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN |
						       DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT);
		return ep->modify(change);
	});
}

} // namespace face_own
