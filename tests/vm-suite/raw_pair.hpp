// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A connection of one file with itself, by the device's own calls. */
#pragma once

#include "endpoint.hpp"
#include "raw_device.hpp"

#include <string>

namespace suite {

/** Bytes of the pair's memory. */
inline constexpr std::size_t memory_size = 1 << 16;

/** Numbers of the events that it looks for. */
enum RawEvent : std::uint32_t {
	established = 0x4001,
	disconnected = 0x4005,
	broken = 0x4006,
	request = 0x2001,
	completion = 0x0001,
	bound = 0x1001,
};

/** Two connected EPs of one file, with memory, all by the device's own calls. */
class RawPair {
public:
	explicit RawPair(std::uint32_t flags = 0)
		: ia(64, flags), events(ia, 256), requests(ia, 16, 0x10), pages(memory_size)
	{
		pz = ia.pz();
		lmr = ia.lmr_create(pz, pages.data(), memory_size);
		active = ia.ep_create(pz, events.id()).id;
		passive = ia.ep_create(pz, events.id()).id;
		connect();
	}

	/** An RDMA write inside of the pair's memory, which is right. */
	kdapl_sqe write() const
	{
		kdapl_sqe sqe{};

		sqe.ep = active;
		sqe.op = KDAPL_OP_RDMA_WRITE;
		sqe.num_seg = 1;
		sqe.cookie = 42;
		sqe.remote_addr = lmr.addr + 4096;
		sqe.rkey = lmr.rkey;
		sqe.seg[0] = { .addr = lmr.addr, .length = 64, .lmr = lmr.id };
		return sqe;
	}

	/** Posts an entry, which must complete with this status and break the EP. */
	void expect_refused(const kdapl_sqe &sqe, DAT_DTO_COMPLETION_STATUS status,
			    Location where = Location::current())
	{
		ia.push(sqe);
		require(ia.submit() == 0, "the doorbell fails", where);
		kdapl_event event = next(completion, where);
		require(event.status == static_cast<std::uint32_t>(status),
			"status " + std::to_string(event.status) + " instead of " +
				std::to_string(status),
			where);
		require(event.cookie == sqe.cookie, "the cookie is another one", where);
	}

	/** The next event of this kind. */
	kdapl_event next(std::uint32_t type, Location where = Location::current())
	{
		for (;;) {
			kdapl_event event = events.next(where);
			if (event.type == type)
				return event;
		}
	}

	/**
	 * The next event of a connection that an error has ended: over iWARP the peer's
	 * driver may drop it before it tells of the error.
	 */
	kdapl_event next_end(Location where = Location::current())
	{
		for (;;) {
			kdapl_event event = events.next(where);
			if (event.type == broken ||
			    (Adapter::iwarp() && event.type == disconnected))
				return event;
		}
	}

	/** The next completion of a transfer, whatever it tells. */
	kdapl_event next_transfer(Location where = Location::current())
	{
		for (;;) {
			kdapl_event event = events.next(where);
			if (event.type == completion || event.status & KDAPL_EV_VALUE)
				return event;
		}
	}

	RawIa ia;
	RawEvd events, requests;
	Pages pages;
	std::uint32_t pz = 0, active = 0, passive = 0;
	kdapl_lmr_create lmr{};

private:
	void connect()
	{
		kdapl_psp_create psp{};
		kdapl_ep_connect call{};
		kdapl_cr_accept accept{};

		psp.flags = KDAPL_PSP_ANY;
		psp.evd = requests.id();
		require(ia.file().call(KDAPL_PSP_CREATE, psp) == 0, "no PSP");
		call.ep = active;
		call.remote = ia.query().addrs[0];
		call.conn_qual = psp.conn_qual;
		call.timeout_us = 20'000'000;
		require(ia.file().call(KDAPL_EP_CONNECT, call) == 0, "no connection");
		accept.cr = static_cast<std::uint32_t>(requests.next().length);
		accept.ep = passive;
		require(ia.file().call(KDAPL_CR_ACCEPT, accept) == 0, "no acceptance");
		next(established);
		next(established);
	}
};

} // namespace suite
