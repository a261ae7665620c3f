// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A bind is a call of the module's, not an entry of the submission ring: it may
// have to pin pages, and it has to say what the new context is. The module takes
// what stands in the ring first, so the order of posting holds.

#include "rmr.hpp"

namespace kdapl {

Status Rmr::create(const Pz &pz, Ref<Rmr> &rmr)
{
	Ia &ia = pz.ia();
	Draft<Rmr> draft(ia.provider(), pz.ia_ref().share(), pz);
	kdapl_rmr_create arg{};

	arg.pz = pz.id();
	arg.user = draft->word();
	if (int err = ia.device().call(KDAPL_RMR_CREATE, arg))
		return from_errno(
			err, { .object = Sub::handle_pz, .limit = Sub::resource_memory_region });
	draft->id_ = arg.id;
	rmr = ia.adopt(draft);
	return rmr ? success : fail(Type::invalid_handle, Sub::handle_pz);
}

Status Rmr::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_rmr });
}

Rmr::Binding Rmr::binding() noexcept
{
	std::lock_guard lock(mutex_);

	return binding_;
}

void Rmr::set_binding(const Binding &binding) noexcept
{
	std::lock_guard lock(mutex_);

	/* Lost as soon as the module had bound it, by who guessed its context. */
	binding_ = binding.context && binding.context == lost_ ? Binding{} : binding;
}

/** The module has unbound it already, unless it is bound to something else by now. */
void Rmr::lose(std::uint32_t context) noexcept
{
	std::lock_guard lock(mutex_);

	lost_ = context;
	if (binding_.context == context)
		binding_ = {};
}

/** What was lost so far had other contexts than the one to come. */
void Rmr::forget_losses() noexcept
{
	std::lock_guard lock(mutex_);

	lost_ = 0;
}

/** What it is to show. Caller holds the submission ring's mutex. */
Status Rmr::check_segment(const Bind &args) const noexcept
{
	const LmrEntry *lmr = ia().lmrs().find(args.segment.lmr);

	if (!lmr)
		return fail(Type::privileges_violation);
	if (lmr->pz != pz_id_)
		return fail(Type::protection_violation);
	if (args.privileges & KDAPL_PRIV_REMOTE_READ && !(lmr->privileges & KDAPL_PRIV_LOCAL_READ))
		return fail(Type::privileges_violation, Sub::privileges_read);
	if (args.privileges & KDAPL_PRIV_REMOTE_WRITE &&
	    !(lmr->privileges & KDAPL_PRIV_LOCAL_WRITE))
		return fail(Type::privileges_violation, Sub::privileges_write);
	if (!lmr->covers(args.segment.address, args.segment.length))
		return fail(Type::invalid_parameter, Sub::arg2);
	if (args.segment.length > ia().attributes().max_rmr_size)
		return fail(Type::insufficient_resources, Sub::resource_memory_region);
	return success;
}

/** Caller holds the submission ring's mutex. */
Status Rmr::check(const Ep &ep, const Bind &args) const noexcept
{
	if (args.flags & ~(completion_suppress | completion_fence | ep.quiet_requests()))
		return fail(Type::invalid_parameter, Sub::arg6);
	if (ep.pz() != pz_)
		return fail(Type::protection_violation);
	return args.segment.length ? check_segment(args) : success;
}

/**
 * Take the slots of a bind. They are given back when the module did not take
 * them after all.
 */
Status Ep::reserve_bind() noexcept
{
	const EpState now = state();
	const std::uint32_t used = posted_requests_ - load_acquire(status_->done);

	if (now != EpState::connected && now != EpState::disconnected)
		return fail(Type::invalid_state, state_sub(now));
	if (!request_evd_id_ || used + KDAPL_BIND_SLOTS > attributes_.max_requests)
		return fail(Type::insufficient_resources, Sub::resource_credits);
	posted_requests_ += KDAPL_BIND_SLOTS;
	return success;
}

void Ep::give_back_bind() noexcept
{
	std::lock_guard lock(ia().sq().mutex());

	posted_requests_ -= KDAPL_BIND_SLOTS;
}

Status Rmr::bind(Ep &ep, const Bind &args, std::uint32_t &context) noexcept
{
	kdapl_rmr_bind arg{};

	std::lock_guard lock(bind_mutex_);
	{
		std::lock_guard ring_lock(ia().sq().mutex());
		if (Status status = check(ep, args); !status.ok())
			return status;
		if (Status status = ep.reserve_bind(); !status.ok())
			return status;
	}
	arg.rmr = id();
	arg.ep = ep.id();
	arg.lmr = args.segment.lmr;
	arg.addr = args.segment.address;
	arg.length = args.segment.length;
	arg.cookie = args.cookie;
	arg.flags = (args.flags & completion_suppress ? KDAPL_SQE_SUPPRESS : 0) |
		    (args.flags & completion_unsignalled ? KDAPL_SQE_QUIET : 0) |
		    (args.flags & completion_fence ? KDAPL_SQE_FENCE : 0);
	arg.privileges = args.privileges;
	forget_losses();
	if (int err = ia().device().call(KDAPL_RMR_BIND, arg)) {
		ep.give_back_bind();
		return from_errno(err, { .object = Sub::handle_rmr,
					 .limit = Sub::resource_memory_region,
					 .state = state_sub(ep.state()) });
	}
	context = arg.rkey;
	set_binding(args.segment.length ? Binding{ args.segment, args.privileges, arg.rkey } :
					  Binding{});
	return success;
}

} // namespace kdapl
