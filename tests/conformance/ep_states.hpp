// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Endpoints in the states that a program can keep one in. */
#pragma once

#include "pair.hpp"
#include "service_point.hpp"
#include "silent_peer.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace suite {

/**
 * All states. On iWARP two are over at once: no request stays out there, which
 * DISCONNECT_PENDING needs, and COMPLETION_PENDING waits for nobody.
 */
inline std::vector<DAT_EP_STATE> all_states()
{
	std::vector<DAT_EP_STATE> states = {
		DAT_EP_STATE_UNCONNECTED,
		DAT_EP_STATE_RESERVED,
		DAT_EP_STATE_PASSIVE_CONNECTION_PENDING,
		DAT_EP_STATE_ACTIVE_CONNECTION_PENDING,
		DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING,
		DAT_EP_STATE_CONNECTED,
		DAT_EP_STATE_DISCONNECTED,
	};

	if (!Adapter::iwarp()) {
		states.push_back(DAT_EP_STATE_DISCONNECT_PENDING);
		states.push_back(DAT_EP_STATE_COMPLETION_PENDING);
	}
	return states;
}

/** What says with DAT_INVALID_STATE that the EP is in this state. */
inline DAT_RETURN_SUBTYPE subtype_of(DAT_EP_STATE state)
{
	switch (state) {
	case DAT_EP_STATE_UNCONNECTED:
		return DAT_INVALID_STATE_EP_UNCONNECTED;
	case DAT_EP_STATE_RESERVED:
		return DAT_INVALID_STATE_EP_RESERVED;
	case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING:
		return DAT_INVALID_STATE_EP_PASSCONNPENDING;
	case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING:
		return DAT_INVALID_STATE_EP_ACTCONNPENDING;
	case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING:
		return DAT_INVALID_STATE_EP_TENTCONNPENDING;
	case DAT_EP_STATE_CONNECTED:
		return DAT_INVALID_STATE_EP_CONNECTED;
	case DAT_EP_STATE_DISCONNECT_PENDING:
		return DAT_INVALID_STATE_EP_DISCPENDING;
	case DAT_EP_STATE_DISCONNECTED:
		return DAT_INVALID_STATE_EP_DISCONNECTED;
	case DAT_EP_STATE_COMPLETION_PENDING:
		return DAT_INVALID_STATE_EP_COMPLPENDING;
	default:
		throw Failure("no subtype for this state", Location::current());
	}
}

/** An endpoint that was brought into a state, with whatever keeps it there. */
class Staged {
public:
	Staged(const Adapter &adapter, DAT_EP_STATE state)
	{
		switch (state) {
		case DAT_EP_STATE_UNCONNECTED:
			endpoint_ = std::make_unique<Endpoint>(adapter);
			break;
		case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING:
			endpoint_ = std::make_unique<Endpoint>(adapter);
			listener_ = std::make_unique<Listener>(adapter);
			ok(endpoint_->connect(adapter.address(), listener_->qual()));
			request_ = listener_->request();
			break;
		case DAT_EP_STATE_RESERVED:
			reserved_ = std::make_unique<Reserved>(adapter);
			break;
		case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING:
			reserved_ = std::make_unique<Reserved>(adapter);
			request_ = reserved_->request();
			break;
		case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING:
			maker_ = std::make_unique<Maker>(adapter);
			request_ = maker_->request(made_);
			maker_->adopt(made_);
			break;
		case DAT_EP_STATE_COMPLETION_PENDING:
			endpoint_ = std::make_unique<Endpoint>(adapter);
			listener_ = std::make_unique<Listener>(adapter);
			peer_ = std::make_unique<SilentPeer>(adapter.address(), listener_->qual());
			ok(accept_request(listener_->request(), *endpoint_));
			peer_->await_acceptance();
			break;
		default:
			pair_ = std::make_unique<Pair>(adapter);
			end_of(*pair_, state);
			break;
		}
		require(this->state() == state, "the EP is not in the state");
	}
	Staged(const Staged &) = delete;
	Staged &operator=(const Staged &) = delete;
	~Staged()
	{
		if (request_ != DAT_HANDLE_NULL)
			dat_cr_reject(request_);
	}

	DAT_EP_HANDLE ep() const noexcept
	{
		return maker_	 ? made_ :
		       reserved_ ? reserved_->passive.ep() :
		       pair_	 ? pair_->active.ep() :
				   endpoint_->ep();
	}
	DAT_EP_STATE state() const
	{
		DAT_EP_STATE state;

		ok(dat_ep_get_status(ep(), &state, nullptr, nullptr));
		return state;
	}

private:
	/* A message without a receive stays out for ever, and with it the connection. */
	static void end_of(Pair &pair, DAT_EP_STATE state)
	{
		if (state == DAT_EP_STATE_DISCONNECT_PENDING) {
			ok(pair.active.send(Segments(), 0));
			ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
		} else if (state == DAT_EP_STATE_DISCONNECTED) {
			ok(dat_ep_disconnect(pair.active.ep(), DAT_CLOSE_ABRUPT_FLAG));
			pair.active.expect_end();
		}
	}

	std::unique_ptr<Endpoint> endpoint_;
	std::unique_ptr<Listener> listener_;
	std::unique_ptr<SilentPeer> peer_;
	std::unique_ptr<Reserved> reserved_;
	std::unique_ptr<Maker> maker_;
	std::unique_ptr<Pair> pair_;
	DAT_CR_HANDLE request_ = DAT_HANDLE_NULL;
	DAT_EP_HANDLE made_ = DAT_HANDLE_NULL;
};

/** Does something with an EP in each state. */
inline void in_every_state(const Adapter &adapter,
			   const std::function<void(DAT_EP_HANDLE, DAT_EP_STATE)> &body)
{
	for (DAT_EP_STATE state : all_states()) {
		Staged staged(adapter, state);

		body(staged.ep(), state);
	}
}

} // namespace suite
