// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: what they have counted.

#include "counters.hpp"

#include "engine/counters.hpp"
#include "engine/ia.hpp"
#include "engine/uncancelled.hpp"

#include <cstdio>
#include <iterator>
#include <span>

using namespace face;
using kdapl::Kind;

/* The engine counts in the numbers of the extensions. */
#define SAME(number, counter) static_assert(bits(kdapl::number) == bits(counter))

SAME(ia_pz_create, DCNT_IA_PZ_CREATE);
SAME(ia_pz_free, DCNT_IA_PZ_FREE);
SAME(ia_lmr_create, DCNT_IA_LMR_CREATE);
SAME(ia_lmr_free, DCNT_IA_LMR_FREE);
SAME(ia_rmr_create, DCNT_IA_RMR_CREATE);
SAME(ia_rmr_free, DCNT_IA_RMR_FREE);
SAME(ia_psp_create, DCNT_IA_PSP_CREATE);
SAME(ia_psp_create_any, DCNT_IA_PSP_CREATE_ANY);
SAME(ia_psp_free, DCNT_IA_PSP_FREE);
SAME(ia_rsp_create, DCNT_IA_RSP_CREATE);
SAME(ia_rsp_free, DCNT_IA_RSP_FREE);
SAME(ia_evd_create, DCNT_IA_EVD_CREATE);
SAME(ia_evd_free, DCNT_IA_EVD_FREE);
SAME(ia_ep_create, DCNT_IA_EP_CREATE);
SAME(ia_ep_free, DCNT_IA_EP_FREE);
SAME(ia_srq_create, DCNT_IA_SRQ_CREATE);
SAME(ia_srq_free, DCNT_IA_SRQ_FREE);
SAME(ia_sp_cr, DCNT_IA_SP_CR);
SAME(ia_sp_cr_accepted, DCNT_IA_SP_CR_ACCEPTED);
SAME(ia_sp_cr_rejected, DCNT_IA_SP_CR_REJECTED);
SAME(ia_async_error, DCNT_IA_ASYNC_ERROR);
SAME(ia_async_qp_error, DCNT_IA_ASYNC_QP_ERROR);
SAME(ia_async_cq_error, DCNT_IA_ASYNC_CQ_ERROR);
SAME(ia_counters, DCNT_IA_ALL_COUNTERS);
SAME(ep_connect, DCNT_EP_CONNECT);
SAME(ep_disconnect, DCNT_EP_DISCONNECT);
SAME(ep_post_send, DCNT_EP_POST_SEND);
SAME(ep_post_recv, DCNT_EP_POST_RECV);
SAME(ep_post_write, DCNT_EP_POST_WRITE);
SAME(ep_post_write_imm, DCNT_EP_POST_WRITE_IMM);
SAME(ep_post_read, DCNT_EP_POST_READ);
SAME(ep_post_cmp_swap, DCNT_EP_POST_CMP_SWAP);
SAME(ep_post_fetch_add, DCNT_EP_POST_FETCH_ADD);
SAME(ep_recv, DCNT_EP_RECV);
SAME(ep_recv_data, DCNT_EP_RECV_DATA);
SAME(ep_recv_imm, DCNT_EP_RECV_IMM);
SAME(ep_recv_imm_data, DCNT_EP_RECV_IMM_DATA);
SAME(ep_recv_rdma_imm, DCNT_EP_RECV_RDMA_IMM);
SAME(ep_recv_rdma_imm_data, DCNT_EP_RECV_RDMA_IMM_DATA);
SAME(ep_counters, DCNT_EP_ALL_COUNTERS);
SAME(evd_wait, DCNT_EVD_WAIT);
SAME(evd_wait_blocked, DCNT_EVD_WAIT_BLOCKED);
SAME(evd_dequeue, DCNT_EVD_DEQUEUE);
SAME(evd_dequeue_found, DCNT_EVD_DEQUEUE_FOUND);
SAME(evd_dequeue_not_found, DCNT_EVD_DEQUEUE_NOT_FOUND);
SAME(evd_dequeue_poll, DCNT_EVD_DEQUEUE_POLL);
SAME(evd_dequeue_poll_found, DCNT_EVD_DEQUEUE_POLL_FOUND);
SAME(evd_counters, DCNT_EVD_ALL_COUNTERS);

#undef SAME

namespace {

/** What a counter is called. */
struct Name {
	std::uint32_t number;
	const char *text;
};

#define NAME(counter) \
	Name \
	{ \
		counter, #counter \
	}

constexpr Name ia_names[] = {
	NAME(DCNT_IA_PZ_CREATE),
	NAME(DCNT_IA_PZ_FREE),
	NAME(DCNT_IA_LMR_CREATE),
	NAME(DCNT_IA_LMR_FREE),
	NAME(DCNT_IA_RMR_CREATE),
	NAME(DCNT_IA_RMR_FREE),
	NAME(DCNT_IA_PSP_CREATE),
	NAME(DCNT_IA_PSP_CREATE_ANY),
	NAME(DCNT_IA_PSP_FREE),
	NAME(DCNT_IA_RSP_CREATE),
	NAME(DCNT_IA_RSP_FREE),
	NAME(DCNT_IA_EVD_CREATE),
	NAME(DCNT_IA_EVD_FREE),
	NAME(DCNT_IA_EP_CREATE),
	NAME(DCNT_IA_EP_FREE),
	NAME(DCNT_IA_SRQ_CREATE),
	NAME(DCNT_IA_SRQ_FREE),
	NAME(DCNT_IA_SP_CR),
	NAME(DCNT_IA_SP_CR_ACCEPTED),
	NAME(DCNT_IA_SP_CR_REJECTED),
	NAME(DCNT_IA_MEM_ALLOC),
	NAME(DCNT_IA_MEM_ALLOC_DATA),
	NAME(DCNT_IA_MEM_FREE),
	NAME(DCNT_IA_ASYNC_ERROR),
	NAME(DCNT_IA_ASYNC_QP_ERROR),
	NAME(DCNT_IA_ASYNC_CQ_ERROR),
	NAME(DCNT_IA_CM_LISTEN),
	NAME(DCNT_IA_CM_REQ_TX),
	NAME(DCNT_IA_CM_REQ_RX),
	NAME(DCNT_IA_CM_REP_TX),
	NAME(DCNT_IA_CM_REP_RX),
	NAME(DCNT_IA_CM_RTU_TX),
	NAME(DCNT_IA_CM_RTU_RX),
	NAME(DCNT_IA_CM_USER_REJ_TX),
	NAME(DCNT_IA_CM_USER_REJ_RX),
	NAME(DCNT_IA_CM_ACTIVE_EST),
	NAME(DCNT_IA_CM_PASSIVE_EST),
	NAME(DCNT_IA_CM_AH_REQ_TX),
	NAME(DCNT_IA_CM_AH_REQ_RX),
	NAME(DCNT_IA_CM_AH_RESOLVED),
	NAME(DCNT_IA_CM_DREQ_TX),
	NAME(DCNT_IA_CM_DREQ_RX),
	NAME(DCNT_IA_CM_DREP_TX),
	NAME(DCNT_IA_CM_DREP_RX),
	NAME(DCNT_IA_CM_MRA_TX),
	NAME(DCNT_IA_CM_MRA_RX),
	NAME(DCNT_IA_CM_REQ_FULLQ_POLL),
	NAME(DCNT_IA_CM_ERR),
	NAME(DCNT_IA_CM_ERR_REQ_FULLQ),
	NAME(DCNT_IA_CM_ERR_REQ_DUP),
	NAME(DCNT_IA_CM_ERR_REQ_RETRY),
	NAME(DCNT_IA_CM_ERR_REP_DUP),
	NAME(DCNT_IA_CM_ERR_REP_RETRY),
	NAME(DCNT_IA_CM_ERR_RTU_DUP),
	NAME(DCNT_IA_CM_ERR_RTU_RETRY),
	NAME(DCNT_IA_CM_ERR_REFUSED),
	NAME(DCNT_IA_CM_ERR_RESET),
	NAME(DCNT_IA_CM_ERR_TIMEOUT),
	NAME(DCNT_IA_CM_ERR_REJ_TX),
	NAME(DCNT_IA_CM_ERR_REJ_RX),
	NAME(DCNT_IA_CM_ERR_DREQ_DUP),
	NAME(DCNT_IA_CM_ERR_DREQ_RETRY),
	NAME(DCNT_IA_CM_ERR_DREP_DUP),
	NAME(DCNT_IA_CM_ERR_DREP_RETRY),
	NAME(DCNT_IA_CM_ERR_MRA_DUP),
	NAME(DCNT_IA_CM_ERR_MRA_RETRY),
	NAME(DCNT_IA_CM_ERR_UNEXPECTED),
	NAME(DCNT_IA_LNK_ERR_RCV),
	NAME(DCNT_IA_LNK_ERR_RCV_REM_PHYS),
	NAME(DCNT_IA_LNK_ERR_RCV_CONSTRAINT),
	NAME(DCNT_IA_LNK_ERR_XMT_DISCARDS),
	NAME(DCNT_IA_LNK_ERR_XMT_CONTRAINT),
	NAME(DCNT_IA_LNK_ERR_INTEGRITY),
	NAME(DCNT_IA_LNK_ERR_EXC_BUF_OVERRUN),
	NAME(DCNT_IA_LNK_WARN_RCV_SW_RELAY),
	NAME(DCNT_IA_LNK_WARN_XMT_WAIT),
	NAME(DCNT_IA_DIAG_ERR_RQ_RAE),
	NAME(DCNT_IA_DIAG_ERR_RQ_OOS),
	NAME(DCNT_IA_DIAG_ERR_RQ_RIRE),
	NAME(DCNT_IA_DIAG_ERR_RQ_UDSDPRD),
	NAME(DCNT_IA_DIAG_ERR_SQ_RAE),
	NAME(DCNT_IA_DIAG_ERR_SQ_OOS),
	NAME(DCNT_IA_DIAG_ERR_SQ_RIRE),
	NAME(DCNT_IA_DIAG_ERR_SQ_RREE),
	NAME(DCNT_IA_DIAG_ERR_SQ_TREE),
};

constexpr Name ep_names[] = {
	NAME(DCNT_EP_CONNECT),	      NAME(DCNT_EP_DISCONNECT),
	NAME(DCNT_EP_POST_SEND),      NAME(DCNT_EP_POST_SEND_DATA),
	NAME(DCNT_EP_POST_SEND_UD),   NAME(DCNT_EP_POST_SEND_UD_DATA),
	NAME(DCNT_EP_POST_RECV),      NAME(DCNT_EP_POST_RECV_DATA),
	NAME(DCNT_EP_POST_WRITE),     NAME(DCNT_EP_POST_WRITE_DATA),
	NAME(DCNT_EP_POST_WRITE_IMM), NAME(DCNT_EP_POST_WRITE_IMM_DATA),
	NAME(DCNT_EP_POST_READ),      NAME(DCNT_EP_POST_READ_DATA),
	NAME(DCNT_EP_POST_CMP_SWAP),  NAME(DCNT_EP_POST_FETCH_ADD),
	NAME(DCNT_EP_RECV),	      NAME(DCNT_EP_RECV_DATA),
	NAME(DCNT_EP_RECV_UD),	      NAME(DCNT_EP_RECV_UD_DATA),
	NAME(DCNT_EP_RECV_IMM),	      NAME(DCNT_EP_RECV_IMM_DATA),
	NAME(DCNT_EP_RECV_RDMA_IMM),  NAME(DCNT_EP_RECV_RDMA_IMM_DATA),
};

constexpr Name evd_names[] = {
	NAME(DCNT_EVD_WAIT),	      NAME(DCNT_EVD_WAIT_BLOCKED),
	NAME(DCNT_EVD_WAIT_NOTIFY),   NAME(DCNT_EVD_DEQUEUE),
	NAME(DCNT_EVD_DEQUEUE_FOUND), NAME(DCNT_EVD_DEQUEUE_NOT_FOUND),
	NAME(DCNT_EVD_DEQUEUE_POLL),  NAME(DCNT_EVD_DEQUEUE_POLL_FOUND),
	NAME(DCNT_EVD_CONN_CALLBACK), NAME(DCNT_EVD_DTO_CALLBACK),
};
#undef NAME

/** Each stands at its number. */
template <std::size_t N>
constexpr bool are_in_order(const Name (&names)[N]) noexcept
{
	for (std::size_t i = 0; i < N; i++) {
		if (names[i].number != i)
			return false;
	}
	return true;
}
static_assert(std::size(ia_names) == kdapl::ia_counters && are_in_order(ia_names));
static_assert(std::size(ep_names) == kdapl::ep_counters && are_in_order(ep_names));
static_assert(std::size(evd_names) == kdapl::evd_counters && are_in_order(evd_names));

/** The counters of a kind of objects; of other kinds there are none. */
std::span<const Name> names_of(Kind kind) noexcept
{
	switch (kind) {
	case Kind::ia:
		return ia_names;
	case Kind::ep:
		return ep_names;
	case Kind::evd:
		return evd_names;
	default:
		return {};
	}
}

/** Which counters of which object are meant: one, or all. */
struct Asked {
	Ref<kdapl::Object> object;
	std::span<const Name> names;
};

/** Extensions are there together or not at all, though any adapter could count. */
Status find(DAT_HANDLE handle, int counter, Asked &asked) noexcept
{
	asked.object = kdapl::pin_any(handle);
	if (!asked.object)
		return bad_handle(Sub::handle1);
	const std::span<const Name> all = names_of(asked.object->kind_of());
	if (all.empty())
		return bad_handle(Sub::handle1);
	if (!(kdapl::ia_of(*asked.object).attributes().flags & KDAPL_IA_IMM))
		return fail(Type::model_not_supported);
	if (counter < 0 || static_cast<std::size_t>(counter) > all.size())
		return bad_parameter(Sub::arg2);
	const auto first = static_cast<std::size_t>(counter);
	asked.names = first == all.size() ? all : all.subspan(first, 1);
	return success;
}

} // namespace

namespace face_own {

DAT_RETURN query_counters(DAT_HANDLE handle, va_list args) noexcept
{
	const int counter = va_arg(args, int);
	DAT_UINT64 *const values = va_arg(args, DAT_UINT64 *);
	const bool reset = va_arg(args, int) != 0;

	return call([&] {
		Asked asked;

		if (Status status = find(handle, counter, asked); !status.ok())
			return status;
		if (!values)
			return bad_parameter(Sub::arg3);
		for (const Name &name : asked.names)
			values[name.number] = asked.object->counter(name.number, reset);
		return success;
	});
}

DAT_RETURN print_counters(DAT_HANDLE handle, va_list args) noexcept
{
	const int counter = va_arg(args, int);
	const bool reset = va_arg(args, int) != 0;
	const kdapl::Uncancelled uncancelled;

	return call([&] {
		Asked asked;

		if (Status status = find(handle, counter, asked); !status.ok())
			return status;
		for (const Name &name : asked.names) {
			const unsigned long long value = asked.object->counter(name.number, reset);
			std::printf("%s = %llu\n", name.text, value);
		}
		return success;
	});
}

} // namespace face_own
