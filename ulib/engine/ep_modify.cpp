// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Changing an EP that has no connection yet. The module is told all that the EP
// shall be, and changes what is different.

#include "ep.hpp"

namespace kdapl {

namespace {

bool is_before_connection(EpState state) noexcept
{
	return state == EpState::unconnected || state == EpState::reserved ||
	       state == EpState::passive_pending || state == EpState::tentative_pending;
}

bool is_quiescent(EpState state) noexcept
{
	return state == EpState::unconnected || state == EpState::tentative_pending;
}

template <class T>
std::uint32_t id_after(const std::optional<const T *> &change, std::uint32_t id) noexcept
{
	if (!change)
		return id;
	return *change ? (*change)->id() : 0;
}

template <class T>
Handle handle_after(const std::optional<const T *> &change, Handle handle) noexcept
{
	if (!change)
		return handle;
	return *change ? (*change)->handle() : nullptr;
}

} // namespace

Status Ep::check_modify(const EpModify &change) const noexcept
{
	const EpState now = state();

	if (!is_before_connection(now) || (change.pz && !is_quiescent(now)))
		return fail(Type::invalid_state, state_sub(now));
	/* The zone of its SRQ is its own. */
	if (srq_id_ && change.pz && (!*change.pz || (*change.pz)->id() != pz_id_))
		return fail(Type::invalid_parameter, Sub::arg3);
	return success;
}

Status Ep::modify(const EpModify &change) noexcept
{
	const std::uint32_t soft_mark = change.attributes.soft_mark,
			    old_mark = attributes_.soft_mark;

	if (Status status = check_modify(change); !status.ok())
		return status;
	if (soft_mark == old_mark)
		return modify_queues(change);
	/* The module knows the marks apart from the rest. */
	if (Status status = tell_marks(soft_mark, hard_mark_); !status.ok())
		return status;
	const Status status = modify_queues(change);
	if (!status.ok())
		(void)tell_marks(old_mark, hard_mark_);
	return status;
}

/** All but the mark. */
Status Ep::modify_queues(const EpModify &change) noexcept
{
	EpAttributes attributes = change.attributes;
	kdapl_ep_modify arg{};

	attributes.soft_mark = attributes_.soft_mark;
	arg.ep = id();
	arg.pz = id_after(change.pz, pz_id_);
	arg.recv_evd = id_after(change.recv_evd, recv_evd_id_);
	arg.request_evd = id_after(change.request_evd, request_evd_id_);
	arg.connect_evd = id_after(change.connect_evd, connect_evd_id_);
	const Queues queues = { .recv = arg.recv_evd != 0,
				.request = arg.request_evd != 0,
				.shared = srq_id_ != 0 };
	if (srq_id_)
		attributes.max_recv_iov = attributes_.max_recv_iov;
	if (Status status = check(ia(), queues, attributes, Sub::arg3); !status.ok())
		return status;
	const bool depths_fixed = depths_fixed_ || change.fixes_depths;
	describe(attributes, depths_fixed, arg);
	/* The module has no slots meanwhile for what would be posted. */
	std::lock_guard posts(ia().sq().mutex());
	if (int err = ia().device().call(KDAPL_EP_MODIFY, arg)) {
		const Sub now = state_sub(state());
		return from_errno(err, { .object = Sub::handle_ep,
					 .busy = now,
					 .limit = Sub::resource_tep,
					 .state = now,
					 .argument = Sub::arg3 });
	}

	if (attributes.recv_completion_flags & completion_solicited) {
		if (Ref<Srq> srq = pin<Srq>(srq_))
			srq->ring_always();
	}
	attributes_ = attributes;
	depths_fixed_ = depths_fixed;
	pz_id_ = arg.pz;
	recv_evd_id_ = arg.recv_evd;
	request_evd_id_ = arg.request_evd;
	connect_evd_id_ = arg.connect_evd;
	pz_ = handle_after(change.pz, pz_);
	recv_evd_ = handle_after(change.recv_evd, recv_evd_);
	request_evd_ = handle_after(change.request_evd, request_evd_);
	connect_evd_ = handle_after(change.connect_evd, connect_evd_);
	return success;
}

} // namespace kdapl
