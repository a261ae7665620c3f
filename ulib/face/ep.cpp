// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// EP, but for its transfers.

#include "face.hpp"

#include "engine/ep.hpp"

using namespace face;
using kdapl::Ep;
using kdapl::EpAttributes;
using kdapl::Evd;
using kdapl::Ia;
using kdapl::Pz;
using kdapl::Srq;

static_assert(static_cast<int>(kdapl::EpState::connected) == DAT_EP_STATE_CONNECTED);
static_assert(static_cast<int>(kdapl::EpState::disconnected) == DAT_EP_STATE_DISCONNECTED);
static_assert(static_cast<int>(kdapl::EpState::completion_pending) ==
	      DAT_EP_STATE_COMPLETION_PENDING);

namespace {

static_assert(static_cast<std::uint32_t>(DAT_HW_DEFAULT) == kdapl::any_recvs);

/** Receives of an SRQ have the SRQ's segments, and may be as many as there are. */
bool any_negative(const DAT_EP_ATTR &attr, bool has_srq) noexcept
{
	const bool any_recvs = has_srq && attr.max_recv_dtos == DAT_HW_DEFAULT;
	const DAT_COUNT counts[] = {
		any_recvs ? 0 : attr.max_recv_dtos,
		attr.max_request_dtos,
		has_srq ? 0 : attr.max_recv_iov,
		attr.max_request_iov,
		attr.max_rdma_read_in,
		attr.max_rdma_read_out,
		attr.max_rdma_read_iov,
		attr.max_rdma_write_iov,
	};

	return std::any_of(std::begin(counts), std::end(counts), [](DAT_COUNT c) { return c < 0; });
}

Status from_dat(const DAT_EP_ATTR &from, bool has_srq, EpAttributes &to) noexcept
{
	if (any_negative(from, has_srq))
		return bad_parameter(Sub::arg6);
	if (from.service_type != DAT_SERVICE_TYPE_RC || from.qos != DAT_QOS_BEST_EFFORT)
		return fail(Type::model_not_supported);

	const auto count = [](DAT_COUNT c) { return static_cast<std::uint32_t>(c); };
	to = {
		.max_message_size = from.max_message_size,
		.max_rdma_size = from.max_rdma_size,
		.recv_completion_flags = bits(from.recv_completion_flags),
		.request_completion_flags = bits(from.request_completion_flags),
		.max_recvs = count(from.max_recv_dtos),
		.max_requests = count(from.max_request_dtos),
		.max_recv_iov = count(from.max_recv_iov),
		.max_request_iov = count(from.max_request_iov),
		.max_rdma_read_in = count(from.max_rdma_read_in),
		.max_rdma_read_out = count(from.max_rdma_read_out),
		.max_rdma_read_iov = count(from.max_rdma_read_iov),
		.max_rdma_write_iov = count(from.max_rdma_write_iov),
		/* Programs without an SRQ do not know of it. */
		.soft_mark = has_srq && from.srq_soft_hw > 0 ? count(from.srq_soft_hw) :
							       kdapl::mark_infinite,
	};
	return success;
}

void to_dat(const EpAttributes &from, DAT_EP_ATTR &to) noexcept
{
	to = {};
	to.service_type = DAT_SERVICE_TYPE_RC;
	tell_size(from.max_message_size, to.max_message_size);
	tell_size(from.max_rdma_size, to.max_rdma_size);
	to.qos = DAT_QOS_BEST_EFFORT;
	to.recv_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(from.recv_completion_flags);
	to.request_completion_flags =
		static_cast<DAT_COMPLETION_FLAGS>(from.request_completion_flags);
	to.max_recv_dtos =
		from.max_recvs == kdapl::any_recvs ? DAT_HW_DEFAULT : to_count(from.max_recvs);
	to.max_request_dtos = to_count(from.max_requests);
	to.max_recv_iov = to_count(from.max_recv_iov);
	to.max_request_iov = to_count(from.max_request_iov);
	to.max_rdma_read_in = to_count(from.max_rdma_read_in);
	to.max_rdma_read_out = to_count(from.max_rdma_read_out);
	to.srq_soft_hw = static_cast<DAT_COUNT>(from.soft_mark);
	to.max_rdma_read_iov = to_count(from.max_rdma_read_iov);
	to.max_rdma_write_iov = to_count(from.max_rdma_write_iov);
}

/** An EVD of the IA that may be fed by a stream; none is right, too. */
Status find_evd(const Ia &ia, DAT_EVD_HANDLE handle, std::uint32_t stream, Sub role,
		Ref<Evd> &evd) noexcept
{
	if (handle == DAT_HANDLE_NULL)
		return success;
	evd = kdapl::pin<Evd>(handle);
	if (!evd || &evd->ia() != &ia || !(evd->flags() & stream))
		return bad_handle(role);
	return success;
}

struct CreateArgs {
	DAT_IA_HANDLE ia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE recv_evd;
	DAT_EVD_HANDLE request_evd;
	DAT_EVD_HANDLE connect_evd;
	const DAT_EP_ATTR *attributes;
	DAT_EP_HANDLE *ep;
};

/** The EVDs of an EP that is made. */
struct Evds {
	Ref<Evd> recv, request, connect;

	Status find(const Ia &ia, const CreateArgs &args) noexcept
	{
		if (Status s =
			    find_evd(ia, args.recv_evd, kdapl::evd_dto, Sub::handle_evd_recv, recv);
		    !s.ok())
			return s;
		if (Status s = find_evd(ia, args.request_evd, kdapl::evd_dto,
					Sub::handle_evd_request, request);
		    !s.ok())
			return s;
		return find_evd(ia, args.connect_evd, kdapl::evd_connection, Sub::handle_evd_conn,
				connect);
	}
};

Status create(const CreateArgs &args, Srq *srq)
{
	const auto ia = kdapl::pin<Ia>(args.ia);
	const auto pz = kdapl::pin<Pz>(args.pz);
	EpAttributes attributes;
	Evds evds;
	Ref<Ep> ep;

	if (!ia)
		return bad_handle(Sub::handle_ia);
	/* Without a zone it waits for dat_ep_modify(). */
	if (args.pz != DAT_HANDLE_NULL && (!pz || &pz->ia() != ia.get()))
		return bad_handle(Sub::handle_pz);
	if (Status s = evds.find(*ia, args); !s.ok())
		return s;
	if (srq && &srq->ia() != ia.get())
		return bad_handle(Sub::handle_srq);
	if (srq && (!pz || srq->pz_id() != pz->id()))
		return bad_parameter(Sub::arg2);
	if (srq && !evds.recv)
		return bad_handle(Sub::handle_evd_recv);
	if (!args.ep)
		return bad_parameter(Sub::arg7);
	if (args.attributes) {
		if (Status s = from_dat(*args.attributes, srq, attributes); !s.ok())
			return s;
	}

	const Status status = Ep::create(ia,
					 { .pz = pz ? pz.get() : nullptr,
					   .recv_evd = evds.recv.get(),
					   .request_evd = evds.request.get(),
					   .connect_evd = evds.connect.get(),
					   .srq = srq,
					   .attributes = args.attributes ? &attributes : nullptr },
					 ep);
	if (status.ok())
		*args.ep = face::to_dat(ep->handle());
	return status;
}

/** The SRQ stands before the attributes: what is said of later arguments moves by one. */
Status with_srq(Status status) noexcept
{
	if (status.type != Type::invalid_parameter)
		return status;
	if (status.sub == Sub::arg6)
		status.sub = Sub::arg7;
	else if (status.sub == Sub::arg7)
		status.sub = Sub::arg8;
	return status;
}

} // namespace

namespace face_own {

DAT_RETURN dat_ep_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle,
			 DAT_EVD_HANDLE recv_evd_handle, DAT_EVD_HANDLE request_evd_handle,
			 DAT_EVD_HANDLE connect_evd_handle, const DAT_EP_ATTR *ep_attributes,
			 DAT_EP_HANDLE *ep_handle)
{
	return call([&] {
		return create({ ia_handle, pz_handle, recv_evd_handle, request_evd_handle,
				connect_evd_handle, ep_attributes, ep_handle },
			      nullptr);
	});
}

DAT_RETURN dat_ep_create_with_srq(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE pz_handle,
				  DAT_EVD_HANDLE recv_evd_handle, DAT_EVD_HANDLE request_evd_handle,
				  DAT_EVD_HANDLE connect_evd_handle, DAT_SRQ_HANDLE srq_handle,
				  const DAT_EP_ATTR *ep_attributes, DAT_EP_HANDLE *ep_handle)
{
	return call([&] {
		const auto srq = kdapl::pin<Srq>(srq_handle);

		if (!kdapl::pin<Ia>(ia_handle))
			return bad_handle(Sub::handle_ia);
		if (!srq)
			return bad_handle(Sub::handle_srq);
		if (!ep_attributes)
			return bad_parameter(Sub::arg7);
		return with_srq(create({ ia_handle, pz_handle, recv_evd_handle, request_evd_handle,
					 connect_evd_handle, ep_attributes, ep_handle },
				       srq.get()));
	});
}

DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE ep_handle, DAT_COUNT soft_high_watermark,
				DAT_COUNT hard_high_watermark)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		const auto valid = [](DAT_COUNT mark) {
			return mark >= 0 || mark == DAT_WATERMARK_INFINITE;
		};

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (!valid(soft_high_watermark))
			return bad_parameter(Sub::arg2);
		if (!valid(hard_high_watermark))
			return bad_parameter(Sub::arg3);
		return ep->set_marks(static_cast<std::uint32_t>(soft_high_watermark),
				     static_cast<std::uint32_t>(hard_high_watermark));
	});
}

DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
			DAT_EP_PARAM *ep_param)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		Ep::View view;

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (ep_param_mask & ~DAT_EP_FIELD_ALL)
			return bad_parameter(Sub::arg2);
		if (!ep_param)
			return bad_parameter(Sub::arg3);
		if (Status status = ep->query(view); !status.ok())
			return status;

		ep_param->ia_handle = version::shown_ia(ep->ia().handle());
		ep_param->ep_state = static_cast<DAT_EP_STATE>(ep->state());
		ep_param->local_ia_address_ptr = const_cast<DAT_IA_ADDRESS_PTR>(
			view.local ? view.local : ep->ia().address());
		ep_param->local_port_qual = view.local_port;
		ep_param->remote_ia_address_ptr = const_cast<DAT_IA_ADDRESS_PTR>(view.remote);
		ep_param->remote_port_qual = view.remote_port;
		ep_param->pz_handle = face::to_dat(view.pz);
		ep_param->recv_evd_handle = face::to_dat(view.recv_evd);
		ep_param->request_evd_handle = face::to_dat(view.request_evd);
		ep_param->connect_evd_handle = face::to_dat(view.connect_evd);
		ep_param->srq_handle = face::to_dat(ep->srq());
		version::finish(*ep_param);
		to_dat(view.attributes, ep_param->ep_attr);
		return success;
	});
}

DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep_handle, DAT_EP_STATE *ep_state,
			     DAT_BOOLEAN *recv_idle, DAT_BOOLEAN *request_idle)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (ep_state)
			*ep_state = static_cast<DAT_EP_STATE>(ep->state());
		if (recv_idle)
			*recv_idle = face::to_dat(ep->recv_idle());
		if (request_idle)
			*request_idle = face::to_dat(ep->request_idle());
		return success;
	});
}

DAT_RETURN dat_ep_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
			  DAT_CONN_QUAL remote_conn_qual, DAT_TIMEOUT timeout,
			  DAT_COUNT private_data_size, const DAT_PVOID private_data, DAT_QOS qos,
			  DAT_CONNECT_FLAGS connect_flags)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (!remote_ia_address)
			return bad_parameter(Sub::arg2);
		if (private_data_size < 0)
			return bad_parameter(Sub::arg5);
		if (private_data_size && !private_data)
			return bad_parameter(Sub::arg6);
		if (bits(connect_flags) & ~bits(version::connect_flags))
			return bad_parameter(Sub::arg8);
		if (qos != DAT_QOS_BEST_EFFORT || connect_flags != DAT_CONNECT_DEFAULT_FLAG)
			return fail(Type::model_not_supported);
		return ep->connect(
			{ .remote_address = remote_ia_address,
			  .conn_qual = remote_conn_qual,
			  .timeout_us = timeout,
			  .private_data = face::private_data(private_data_size, private_data) });
	});
}

DAT_RETURN dat_ep_dup_connect(DAT_EP_HANDLE ep_handle, DAT_EP_HANDLE dup_ep_handle,
			      DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
			      const DAT_PVOID private_data, DAT_QOS qos)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		const auto dup = kdapl::pin<Ep>(dup_ep_handle);
		sockaddr_storage address;
		std::uint64_t conn_qual;

		if (!ep)
			return bad_handle(Sub::handle1);
		if (!dup)
			return bad_handle(Sub::handle2);
		if (!timeout)
			return bad_parameter(Sub::arg3);
		if (private_data_size < 0 ||
		    static_cast<std::size_t>(private_data_size) > ep->max_private_data())
			return bad_parameter(Sub::arg4);
		if (private_data_size && !private_data)
			return bad_parameter(Sub::arg5);
		if (qos != DAT_QOS_BEST_EFFORT)
			return fail(Type::model_not_supported);
		if (Status status = dup->remote_end(address, conn_qual); !status.ok())
			return status;
		return ep->connect(
			{ .remote_address = reinterpret_cast<const sockaddr *>(&address),
			  .conn_qual = conn_qual,
			  .timeout_us = timeout,
			  .private_data = face::private_data(private_data_size, private_data) });
	});
}

DAT_RETURN dat_ep_recv_query(DAT_EP_HANDLE ep_handle, DAT_COUNT *nbufs_allocated,
			     DAT_COUNT *bufs_alloc_span)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		/* Each posted receive is a message of its own: no gaps in the span. */
		const DAT_COUNT count = to_count(ep->outstanding_recvs());
		if (nbufs_allocated)
			*nbufs_allocated = count;
		if (bufs_alloc_span)
			*bufs_alloc_span = count;
		return success;
	});
}

DAT_RETURN dat_ep_disconnect(DAT_EP_HANDLE ep_handle, DAT_CLOSE_FLAGS disconnect_flags)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (bits(disconnect_flags) & ~bits(DAT_CLOSE_GRACEFUL_FLAG))
			return bad_parameter(Sub::arg2);
		return ep->disconnect(disconnect_flags == DAT_CLOSE_GRACEFUL_FLAG);
	});
}

DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep_handle)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		return ep ? ep->reset() : bad_handle(Sub::handle_ep);
	});
}

DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep_handle)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		return ep ? ep->free() : bad_handle(Sub::handle_ep);
	});
}

} // namespace face_own
