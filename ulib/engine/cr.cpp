// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "cr.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

namespace kdapl {

Ref<Cr> Cr::make(const Ref<Ia> &ia, std::uint32_t id, std::uint32_t ep_source)
{
	const bool brings_ep = ep_source != KDAPL_CR_EP_ACCEPT;
	Draft<Cr> draft(ia->provider(), ia.share(), id, brings_ep);
	Param *ignored;
	Ref<Ep> made;

	if (ep_source == KDAPL_CR_EP_OFFER) {
		/*
		 * Without memory for it the event stays where it is. What lasts (the device
		 * is gone, no EP is left) must not keep the events behind it: then the
		 * request comes without an EP, and can be rejected.
		 */
		if (Status status = Ep::create_for_request(ia, made); status.ok())
			draft->bring(*made);
		else if (status.sub == Sub::resource_memory)
			throw std::bad_alloc();
	}
	/* Where that fails the request is dead already. */
	if (ep_source == KDAPL_CR_EP_RESERVED)
		(void)draft->query(ignored);
	Ref<Cr> cr = ia->adopt(draft);
	/* The adapter is being closed, and has looked for requests already. */
	if (!cr)
		ia->discard(KDAPL_OBJ_CR, id);
	return cr;
}

/** An EP that was made for it. Where that fails the request is dead already. */
void Cr::bring(Ep &ep) noexcept
{
	kdapl_cr_offer arg{};

	arg.cr = id();
	arg.ep = ep.id();
	if (ia().device().call(KDAPL_CR_OFFER, arg)) {
		(void)ep.free();
		return;
	}
	ep_ = ep.handle();
	made_ep_ = true;
}

/** It was not accepted: what was made for it goes, too. */
void Cr::retire() noexcept
{
	if (made_ep_) {
		if (Ref<Ep> own = pin<Ep>(ep()))
			(void)own->free();
	}
	ia().retire(*this);
}

Handle Cr::ep() noexcept
{
	std::lock_guard lock(mutex_);

	return ep_;
}

Status Cr::query(Param *&param) noexcept
{
	std::lock_guard lock(mutex_);

	if (!queried_) {
		kdapl_cr_query arg{};
		arg.cr = id();
		if (int err = ia().device().call(KDAPL_CR_QUERY, arg))
			return from_errno(err, { .object = Sub::handle_cr });
		param_.remote_address = to_sockaddr(arg.remote);
		param_.remote_port = arg.remote.port;
		param_.private_data_size =
			std::min<std::uint32_t>(arg.private_data_size, KDAPL_PRIVATE_DATA_MAX);
		std::copy_n(arg.private_data, param_.private_data_size, param_.private_data);
		if (arg.ep_user && !made_ep_)
			ep_ = HandleTable::instance().handle_of_word(arg.ep_user);
		queried_ = true;
	}
	param = &param_;
	return success;
}

/** Whether the EP's state is right: it belongs to nobody else. */
Status Cr::check_ep(const Ep &ep) const noexcept
{
	const EpState now = ep.state();
	const EpState right = !brings_ep_ ? EpState::unconnected :
			      made_ep_	  ? EpState::tentative_pending :
					    EpState::passive_pending;

	if (!ep.has_connect_evd())
		return fail(Type::invalid_handle, Sub::handle_evd_conn);
	if (now != right)
		return fail(Type::invalid_state, state_sub(now));
	return ep.has_pz() ? success : fail(Type::invalid_state, Sub::ep_not_ready);
}

Status Cr::accept(Ep &ep, std::span<const unsigned char> private_data) noexcept
{
	if (private_data.size() > std::min<std::size_t>(ia().attributes().max_private_data_accept,
							KDAPL_PRIVATE_DATA_MAX))
		return fail(Type::invalid_parameter, Sub::arg3);
	if (Status status = check_ep(ep); !status.ok())
		return status;

	kdapl_cr_accept arg{};
	arg.cr = id();
	arg.ep = brings_ep_ ? 0 : ep.id();
	arg.private_data_size = static_cast<std::uint32_t>(private_data.size());
	std::copy(private_data.begin(), private_data.end(), arg.private_data);
	if (int err = ia().device().call(KDAPL_CR_ACCEPT, arg))
		return from_errno(err,
				  { .object = Sub::handle_cr, .state = state_sub(ep.state()) });
	ep.decide();
	ia().count(ia_sp_cr_accepted);
	ia().retire(*this);
	return success;
}

Status Cr::reject(std::span<const unsigned char> private_data) noexcept
{
	if (private_data.size() > KDAPL_PRIVATE_DATA_MAX)
		return fail(Type::invalid_parameter, Sub::arg2);

	kdapl_cr_reject arg{};
	arg.cr = id();
	arg.private_data_size = static_cast<std::uint32_t>(private_data.size());
	std::copy(private_data.begin(), private_data.end(), arg.private_data);
	if (int err = ia().device().call(KDAPL_CR_REJECT, arg))
		return err == EMSGSIZE ? fail(Type::invalid_parameter, Sub::arg2) :
					 from_errno(err, { .object = Sub::handle_cr });
	ia().count(ia_sp_cr_rejected);
	retire();
	return success;
}

Status Cr::hand_off(std::uint64_t conn_qual) noexcept
{
	kdapl_cr_handoff arg{};

	arg.cr = id();
	arg.conn_qual = conn_qual;
	switch (int err = ia().device().call(KDAPL_CR_HANDOFF, arg)) {
	case 0:
		retire();
		return success;
	case EADDRNOTAVAIL:
	case EINVAL:
	case EACCES:
		return fail(Type::invalid_parameter, Sub::arg2);
	default:
		return from_errno(err, { .object = Sub::handle_cr });
	}
}

} // namespace kdapl
