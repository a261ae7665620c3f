// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Event queues, endpoints and listeners for test programs. */
#pragma once

#include "adapter.hpp"
#include "line.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace suite {

/** The streams that a test's queue carries unless it says otherwise. */
constexpr DAT_EVD_FLAGS any_stream = DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_CR_FLAG;

/** An EVD. Waits have a limit, beyond which they fail the test. */
class EventQueue {
public:
	EventQueue(const Adapter &adapter, DAT_COUNT length, DAT_EVD_FLAGS streams = any_stream);
	EventQueue(const EventQueue &) = delete;
	EventQueue &operator=(const EventQueue &) = delete;
	~EventQueue();

	DAT_EVD_HANDLE evd() const noexcept { return evd_; }
	DAT_COUNT length() const;

	/** Sleeps until an event comes, and takes it. */
	DAT_EVENT wait(Location where = Location::current());

	/** Looks until an event comes, and takes it; never enters the module. */
	DAT_EVENT spin(Location where = Location::current());

	/** The next event, which must have this number. */
	DAT_EVENT expect(DAT_EVENT_NUMBER number, Location where = Location::current());

	/** The next event, which must be one of these. */
	DAT_EVENT expect(std::initializer_list<DAT_EVENT_NUMBER> numbers,
			 Location where = Location::current());

	void require_empty(Location where = Location::current());

private:
	DAT_EVD_HANDLE evd_ = DAT_HANDLE_NULL;
};

/** Sizes of an endpoint. */
struct EndpointSizes {
	DAT_COUNT recvs = 16;
	DAT_COUNT requests = 16;
	DAT_COUNT recv_iov = 4;
	DAT_COUNT request_iov = 4;
	DAT_COUNT events = 64;
	DAT_COUNT reads = 4; /**< on their way at once, in each direction */
	/** The provider's own attributes instead of these. */
	bool defaults = false;
	/** One EVD for everything instead of three. */
	bool one_queue = false;
	DAT_PZ_HANDLE pz = DAT_HANDLE_NULL; /**< none: the adapter's */
	DAT_SRQ_HANDLE srq = DAT_HANDLE_NULL; /**< where receives come from; none: posted */
	/** What notifies, as an EP's attributes have it; other than the default needs... */
	DAT_COMPLETION_FLAGS recv_style = DAT_COMPLETION_DEFAULT_FLAG;
	DAT_COMPLETION_FLAGS request_style = DAT_COMPLETION_DEFAULT_FLAG;
	/** ...that the EVDs of completions carry nothing else. */
	DAT_EVD_FLAGS dto_streams = any_stream;
};

using Segments = std::span<const DAT_LMR_TRIPLET>;

/** An EP with its EVDs. */
class Endpoint {
public:
	explicit Endpoint(const Adapter &adapter, const EndpointSizes &sizes = {});
	Endpoint(const Endpoint &) = delete;
	Endpoint &operator=(const Endpoint &) = delete;
	~Endpoint();

	DAT_EP_HANDLE ep() const noexcept { return ep_; }
	EventQueue &recv_queue() noexcept { return *recv_; }
	EventQueue &request_queue() noexcept { return *request_; }
	EventQueue &connect_queue() noexcept { return *connect_; }

	DAT_EP_STATE state() const;
	void require_state(DAT_EP_STATE state, Location where = Location::current()) const;

	/** Frees the EP now; the EVDs stay. */
	void free();

	/* The four transfers; the results of the calls themselves. */
	DAT_RETURN send(Segments segments, DAT_UINT64 cookie,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
	DAT_RETURN recv(Segments segments, DAT_UINT64 cookie);
	DAT_RETURN write(Segments segments, const DAT_RMR_TRIPLET &remote, DAT_UINT64 cookie,
			 DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);
	DAT_RETURN read(Segments segments, const DAT_RMR_TRIPLET &remote, DAT_UINT64 cookie,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG);

	/* The same for one segment, and none. */
	DAT_RETURN send(const DAT_LMR_TRIPLET &segment, DAT_UINT64 cookie)
	{
		return send(Segments(&segment, 1), cookie);
	}
	DAT_RETURN recv(const DAT_LMR_TRIPLET &segment, DAT_UINT64 cookie)
	{
		return recv(Segments(&segment, 1), cookie);
	}
	DAT_RETURN write(const DAT_LMR_TRIPLET &segment, const DAT_RMR_TRIPLET &remote,
			 DAT_UINT64 cookie)
	{
		return write(Segments(&segment, 1), remote, cookie);
	}
	DAT_RETURN read(const DAT_LMR_TRIPLET &segment, const DAT_RMR_TRIPLET &remote,
			DAT_UINT64 cookie)
	{
		return read(Segments(&segment, 1), remote, cookie);
	}

	/** The next completion of its queue must be this success. */
	void expect_recv(DAT_UINT64 cookie, DAT_VLEN length, Location where = Location::current());
	void expect_request(DAT_UINT64 cookie, DAT_VLEN length,
			    Location where = Location::current());

	/** The next completion of its queue must be this failure. */
	void expect_recv_failure(DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status,
				 Location where = Location::current());
	void expect_request_failure(DAT_UINT64 cookie, DAT_DTO_COMPLETION_STATUS status,
				    Location where = Location::current());

	/** The next connection event must be this one, and about this EP. */
	DAT_CONNECTION_EVENT_DATA expect_connection(DAT_EVENT_NUMBER number,
						    Location where = Location::current());

	/** The next connection event must be DISCONNECTED or BROKEN. */
	void expect_end(Location where = Location::current());

	/**
	 * The next connection event must be BROKEN. On iWARP who is told by the
	 * peer that an access was wrong may see no more than the end.
	 */
	void expect_broken(const Adapter &adapter, Location where = Location::current());

	/** Starts to connect; the call's own result. */
	DAT_RETURN connect(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual,
			   std::string_view private_data = {}, DAT_TIMEOUT timeout = 20'000'000);

	/** Disconnects, waits for the event, and makes it UNCONNECTED again. */
	void end_and_reset(DAT_CLOSE_FLAGS flags, Location where = Location::current());

private:
	std::shared_ptr<EventQueue> recv_, request_, connect_;
	DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
};

/** A PSP on a qualifier that the provider picks, with its EVD. */
class Listener {
public:
	explicit Listener(const Adapter &adapter, DAT_COUNT backlog = 16);
	Listener(const Listener &) = delete;
	Listener &operator=(const Listener &) = delete;
	~Listener();

	DAT_CONN_QUAL qual() const noexcept { return qual_; }
	DAT_PSP_HANDLE psp() const noexcept { return psp_; }
	EventQueue &queue() noexcept { return queue_; }

	/** Stops listening now. */
	void free();

	/** Waits for a request. */
	DAT_CR_HANDLE request(Location where = Location::current());

	/** Waits for a request and accepts it. */
	void accept(Endpoint &endpoint, std::string_view private_data = {},
		    Location where = Location::current());

private:
	EventQueue queue_;
	DAT_CONN_QUAL qual_ = 0;
	DAT_PSP_HANDLE psp_ = DAT_HANDLE_NULL;
};

/** Accepts what request there is, without waiting for the connection. */
DAT_RETURN accept_request(DAT_CR_HANDLE request, Endpoint &endpoint,
			  std::string_view private_data = {});

/** Connects two programs: this one listens, the other one calls dial(). */
void serve(Line &line, Listener &listener, Endpoint &endpoint,
	   Location where = Location::current());

/** Connects two programs: this one connects to the other's serve(). */
void dial(Line &line, const Adapter &adapter, Endpoint &endpoint,
	  Location where = Location::current());

} // namespace suite
