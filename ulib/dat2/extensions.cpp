// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: extensions for InfiniBand and RoCE.

#include "extensions.hpp"

#include "counters.hpp"
#include "table.hpp"

#include "face/segments.hpp"

#include <array>
#include <cstring>

using namespace face;
using kdapl::Ep;

static_assert(bits(DAT_DTO_RECEIVE_WITH_INVALIDATE) ==
	      bits(kdapl::operation_receive_with_invalidate));
static_assert(DAT_IB_DTO_RDMA_WRITE_IMMED == KDAPL_EV_OP_WRITE_IMM);
static_assert(DAT_IB_DTO_RECV_IMMED == KDAPL_EV_OP_RECV_WRITE_IMM);
static_assert(DAT_IB_DTO_FETCH_ADD == KDAPL_EV_OP_FETCH_ADD);
static_assert(DAT_IB_DTO_CMP_SWAP == KDAPL_EV_OP_CMP_SWAP);
static_assert(DAT_IB_DTO_RECV_MSG_IMMED == KDAPL_EV_OP_RECV_IMM);

namespace {

/** A transfer that is an extension. Enumerations are passed as integers. */
struct Transfer {
	kdapl_op op;
	DAT_COUNT num_segments;
	const DAT_LMR_TRIPLET *local;
	DAT_DTO_COOKIE cookie;
	const DAT_RMR_TRIPLET *remote;
	DAT_COMPLETION_FLAGS flags;
	DAT_UINT32 immediate;
	std::array<std::uint64_t, 2> operands;
};

Transfer write_immed(va_list args) noexcept
{
	Transfer asked{};

	asked.op = KDAPL_OP_WRITE_IMM;
	asked.num_segments = va_arg(args, DAT_COUNT);
	asked.local = va_arg(args, DAT_LMR_TRIPLET *);
	asked.cookie = va_arg(args, DAT_DTO_COOKIE);
	asked.remote = va_arg(args, const DAT_RMR_TRIPLET *);
	asked.immediate = va_arg(args, DAT_UINT32);
	asked.flags = static_cast<DAT_COMPLETION_FLAGS>(va_arg(args, unsigned));
	return asked;
}

/** The operands come first; there is one segment. */
Transfer atomic(kdapl_op op, std::size_t operands, va_list args) noexcept
{
	Transfer asked{};

	asked.op = op;
	for (std::size_t i = 0; i < operands; i++)
		asked.operands[i] = va_arg(args, DAT_UINT64);
	asked.num_segments = 1;
	asked.local = va_arg(args, DAT_LMR_TRIPLET *);
	asked.cookie = va_arg(args, DAT_DTO_COOKIE);
	asked.remote = va_arg(args, const DAT_RMR_TRIPLET *);
	asked.flags = static_cast<DAT_COMPLETION_FLAGS>(va_arg(args, unsigned));
	return asked;
}

/** Wrong arguments are counted as those of dat_ep_post_rdma_write(). */
DAT_RETURN post(DAT_HANDLE ep_handle, const Transfer &asked) noexcept
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		Segments segments;

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (Status status = segments.fill(asked.num_segments, asked.local); !status.ok())
			return status;
		if (!asked.remote)
			return bad_parameter(Sub::arg5);
		const kdapl::RemoteSegment remote = remote_segment(*asked.remote);
		return ep->post({ .op = asked.op,
				  .flags = bits(asked.flags),
				  .cookie = asked.cookie.as_64,
				  .local = segments.all(),
				  .remote = &remote,
				  .immediate = asked.immediate,
				  .operands = asked.operands });
	});
}

DAT_RETURN not_there(DAT_HANDLE handle) noexcept
{
	return call([&] {
		return kdapl::pin_any(handle) ? fail(Type::not_implemented) :
						bad_handle(Sub::handle1);
	});
}

/** For registries that open no IA for it: they give the name in the handle's place. */
template <bool thread_safe>
DAT_RETURN open_query(const char *ia_name, const OpenQuery &query)
{
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;

	if (!query.ia)
		return to_dat(bad_handle(Sub::handle_ia));
	const DAT_RETURN ret =
		face_own::ia_open_name(ia_name, thread_safe, 1, &async_evd, query.ia, false);
	return ret == DAT_SUCCESS ? query.ask(face_own::dat_ia_query, face_own::dat_ia_close) : ret;
}

DAT_IB_EXT_TYPE event_type(std::uint32_t operation) noexcept
{
	switch (operation) {
	case DAT_IB_DTO_RECV_IMMED:
		return DAT_IB_RDMA_WRITE_IMMED_DATA;
	case DAT_IB_DTO_FETCH_ADD:
		return DAT_IB_FETCH_AND_ADD;
	case DAT_IB_DTO_CMP_SWAP:
		return DAT_IB_CMP_AND_SWAP;
	case DAT_IB_DTO_RECV_MSG_IMMED:
		return DAT_IB_RECV_IMMED_DATA;
	default:
		return DAT_IB_RDMA_WRITE_IMMED;
	}
}

} // namespace

void version::finish_extension(DAT_EVENT &to, const kdapl::Event &from) noexcept
{
	DAT_IB_EXTENSION_EVENT_DATA data{};

	static_assert(sizeof data <= sizeof to.event_extension_data);
	to.event_number = DAT_IB_EXTENSION_RANGE_BASE;
	data.type = event_type(from.operation);
	data.status = from.status ? DAT_IB_OP_ERR : DAT_OP_SUCCESS;
	data.val.immed.data = from.value;
	std::memcpy(to.event_extension_data, &data, sizeof data);
}

namespace face_own {

template <bool thread_safe>
DAT_RETURN handle_extendedop(DAT_HANDLE handle, DAT_EXTENDED_OP op, va_list args)
{
	switch (op) {
	case DAT_IB_RDMA_WRITE_IMMED_OP:
		return post(handle, write_immed(args));
	case DAT_IB_FETCH_AND_ADD_OP:
		return post(handle, atomic(KDAPL_OP_FETCH_ADD, 1, args));
	case DAT_IB_CMP_AND_SWAP_OP:
		return post(handle, atomic(KDAPL_OP_CMP_SWAP, 2, args));
	case DAT_IB_QUERY_COUNTERS_OP:
		return query_counters(handle, args);
	case DAT_IB_PRINT_COUNTERS_OP:
		return print_counters(handle, args);
	case DAT_IB_OPEN_QUERY_OP:
		return open_query<thread_safe>(static_cast<const char *>(handle), OpenQuery(args));
	case DAT_IB_CLOSE_QUERY_OP:
		return face_own::dat_ia_close(handle, DAT_CLOSE_ABRUPT_FLAG);
	default:
		return not_there(handle);
	}
}
template decltype(handle_extendedop<true>) handle_extendedop<true>;
template decltype(handle_extendedop<false>) handle_extendedop<false>;

} // namespace face_own
