// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Objects of uDAPL 2.0 that free themselves, for test programs. */
#pragma once

#include "dat_conf.hpp"
#include "failure.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace suite {

inline DAT_TIMEOUT long_enough()
{
	return static_cast<DAT_TIMEOUT>(std::chrono::microseconds(patience()).count());
}

/** The next event of an EVD, which must have this number. */
inline DAT_EVENT expect_event(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number, Location where)
{
	DAT_EVENT event;
	DAT_COUNT more;

	ok(dat_evd_wait(evd, long_enough(), 1, &event, &more), where);
	require(event.event_number == number,
		"event " + std::to_string(event.event_number) + " instead of " +
			std::to_string(number),
		where);
	return event;
}

/** An open adapter with a protection zone, of a dat.conf that has nothing else. */
class Adapter {
public:
	Adapter()
		: conf_(adapter_name() +
			" u2.0 nonthreadsafe default libdapl2_kdapl.so.2 kdapl.2.0 \"\" \"\"\n")
	{
		std::string name = adapter_name();

		ok(dat_ia_open(name.data(), 8, &async_, &ia_));
		ok(dat_ia_query(ia_, nullptr, DAT_IA_FIELD_ALL, &attributes_, 0, nullptr));
		ok(dat_pz_create(ia_, &pz_));
	}
	Adapter(const Adapter &) = delete;
	Adapter &operator=(const Adapter &) = delete;
	~Adapter()
	{
		if (ia_ == DAT_HANDLE_NULL)
			return;
		/* On the way out of a failed test other things may be left. */
		if (testing::Test::HasFailure() || std::uncaught_exceptions() > 0) {
			dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
			return;
		}
		EXPECT_EQ(result_name(dat_pz_free(pz_)), result_name(DAT_SUCCESS));
		EXPECT_EQ(result_name(dat_ia_close(ia_, DAT_CLOSE_GRACEFUL_FLAG)),
			  result_name(DAT_SUCCESS));
	}

	/** With all that is still on it. */
	void close_abruptly()
	{
		ok(dat_ia_close(std::exchange(ia_, DAT_HANDLE_NULL), DAT_CLOSE_ABRUPT_FLAG));
	}

	DAT_IA_HANDLE ia() const noexcept { return ia_; }
	DAT_PZ_HANDLE pz() const noexcept { return pz_; }
	/** The next event of its own EVD, which must have this number. */
	DAT_EVENT expect_async(DAT_EVENT_NUMBER number, Location where = Location::current()) const
	{
		return expect_event(async_, number, where);
	}
	/** Its own address, without a port. */
	DAT_IA_ADDRESS_PTR address() const noexcept { return attributes_.ia_address_ptr; }

private:
	DatConf conf_;
	DAT_IA_HANDLE ia_ = DAT_HANDLE_NULL;
	DAT_PZ_HANDLE pz_ = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE async_ = DAT_HANDLE_NULL;
	DAT_IA_ATTR attributes_{};
};

/** An EVD. */
class EventQueue {
public:
	EventQueue(const Adapter &adapter, DAT_EVD_FLAGS streams, DAT_COUNT length = 64)
	{
		ok(dat_evd_create(adapter.ia(), length, DAT_HANDLE_NULL, streams, &evd_));
	}
	EventQueue(const EventQueue &) = delete;
	EventQueue &operator=(const EventQueue &) = delete;
	~EventQueue() { dat_evd_free(evd_); }

	DAT_EVD_HANDLE evd() const noexcept { return evd_; }

	/** The next event, which must have this number. */
	DAT_EVENT expect(DAT_EVENT_NUMBER number, Location where = Location::current())
	{
		return expect_event(evd_, number, where);
	}

private:
	DAT_EVD_HANDLE evd_ = DAT_HANDLE_NULL;
};

/** A page of registered memory. */
class Memory {
public:
	explicit Memory(const Adapter &adapter)
	{
		DAT_REGION_DESCRIPTION region;

		region.for_va = bytes_.data();
		ok(dat_lmr_create(adapter.ia(), DAT_MEM_TYPE_VIRTUAL, region, bytes_.size(),
				  adapter.pz(), DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &lmr_,
				  &context_, nullptr, nullptr, nullptr));
	}
	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;
	~Memory() { dat_lmr_free(lmr_); }

	DAT_LMR_HANDLE lmr() const noexcept { return lmr_; }
	char *data() noexcept { return bytes_.data(); }
	std::string_view text(std::size_t size) const { return { bytes_.data(), size }; }
	DAT_LMR_TRIPLET segment(std::size_t size) const
	{
		return { reinterpret_cast<DAT_VADDR>(bytes_.data()),
			 static_cast<DAT_SEG_LENGTH>(size), context_ };
	}

private:
	alignas(4096) std::array<char, 4096> bytes_{};
	DAT_LMR_HANDLE lmr_ = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT context_ = 0;
};

/** An EP with one queue for all its events. */
class Endpoint {
public:
	explicit Endpoint(const Adapter &adapter)
		: queue_(adapter,
			 DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_RMR_BIND_FLAG)
	{
		ok(dat_ep_create(adapter.ia(), adapter.pz(), queue_.evd(), queue_.evd(),
				 queue_.evd(), nullptr, &ep_));
	}
	Endpoint(const Endpoint &) = delete;
	Endpoint &operator=(const Endpoint &) = delete;
	~Endpoint() { dat_ep_free(ep_); }

	DAT_EP_HANDLE ep() const noexcept { return ep_; }

	void connect(sockaddr_storage to, Location where = Location::current())
	{
		char hello[] = "hello";

		ok(dat_ep_common_connect(ep_, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&to),
					 long_enough(), sizeof hello, hello),
		   where);
	}
	DAT_CONNECTION_EVENT_DATA expect_connection(DAT_EVENT_NUMBER number,
						    Location where = Location::current())
	{
		const DAT_EVENT event = queue_.expect(number, where);

		require(event.event_data.connect_event_data.ep_handle == ep_,
			"the event names another EP", where);
		return event.event_data.connect_event_data;
	}
	void send(const Memory &memory, std::size_t size, Location where = Location::current())
	{
		DAT_LMR_TRIPLET segment = memory.segment(size);

		ok(dat_ep_post_send(ep_, 1, &segment, DAT_DTO_COOKIE{},
				    DAT_COMPLETION_DEFAULT_FLAG),
		   where);
	}
	void recv(const Memory &memory, std::size_t size, Location where = Location::current())
	{
		DAT_LMR_TRIPLET segment = memory.segment(size);

		ok(dat_ep_post_recv(ep_, 1, &segment, DAT_DTO_COOKIE{},
				    DAT_COMPLETION_DEFAULT_FLAG),
		   where);
	}
	/** The next event is that such an operation has moved so much; all that it tells. */
	DAT_DTO_COMPLETION_EVENT_DATA expect_done(DAT_DTOS operation, std::size_t size,
						  Location where = Location::current())
	{
		const DAT_EVENT event = queue_.expect(DAT_DTO_COMPLETION_EVENT, where);
		const auto &done = event.event_data.dto_completion_event_data;

		require(done.status == DAT_DTO_SUCCESS, "a transfer failed", where);
		require(done.operation == operation, "another operation is done", where);
		const bool receives = operation == DAT_DTO_RECEIVE ||
				      operation == DAT_DTO_RECEIVE_WITH_INVALIDATE;
		require(!receives || done.transfered_length == size, "another length came", where);
		return done;
	}
	/** The next event is that the RMR was bound. */
	void expect_bound(DAT_RMR_HANDLE rmr, Location where = Location::current())
	{
		const DAT_EVENT event = queue_.expect(DAT_RMR_BIND_COMPLETION_EVENT, where);
		const auto &bound = event.event_data.rmr_completion_event_data;

		require(bound.rmr_handle == rmr, "another RMR was bound", where);
		require(bound.status == DAT_RMR_BIND_SUCCESS, "the bind failed", where);
	}

private:
	EventQueue queue_;
	DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
};

/** A CSP on the adapter's address, and on some port. */
class Listener {
public:
	explicit Listener(const Adapter &adapter) : queue_(adapter, DAT_EVD_CR_FLAG)
	{
		DAT_COMM comm{ adapter.address()->sa_family, SOCK_STREAM, IPPROTO_TCP };

		ok(dat_csp_create(adapter.ia(), &comm, adapter.address(), queue_.evd(), &csp_));
	}
	Listener(const Listener &) = delete;
	Listener &operator=(const Listener &) = delete;
	~Listener() { dat_csp_free(csp_); }

	DAT_CSP_HANDLE csp() const noexcept { return csp_; }
	DAT_EVD_HANDLE evd() const noexcept { return queue_.evd(); }

	/** Where it listens, as it says itself. */
	sockaddr_storage address(Location where = Location::current()) const
	{
		sockaddr_storage address{};
		DAT_CSP_PARAM param;

		ok(dat_csp_query(csp_, DAT_CSP_FIELD_ALL, &param), where);
		std::memcpy(&address, param.address_ptr,
			    param.address_ptr->sa_family == AF_INET ? sizeof(sockaddr_in) :
								      sizeof(sockaddr_in6));
		return address;
	}
	static DAT_CONN_QUAL port_of(const sockaddr_storage &address)
	{
		sockaddr_in in;

		/* At the same place in one of IPv6. */
		std::memcpy(&in, &address, sizeof in);
		return ntohs(in.sin_port);
	}

	/** Waits for a request, which must be for it. */
	DAT_CR_HANDLE request(Location where = Location::current())
	{
		const DAT_EVENT event = queue_.expect(DAT_CONNECTION_REQUEST_EVENT, where);
		const auto &arrival = event.event_data.cr_arrival_event_data;

		require(arrival.sp_handle.csp_handle == csp_,
			"the request names another service point", where);
		require(arrival.conn_qual == port_of(address(where)),
			"the request names another port", where);
		return arrival.cr_handle;
	}

private:
	EventQueue queue_;
	DAT_CSP_HANDLE csp_ = DAT_HANDLE_NULL;
};

} // namespace suite
