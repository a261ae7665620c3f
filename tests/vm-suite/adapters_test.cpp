// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several adapters, their addresses, and what becomes of one that is pulled out. */

#include "extra_adapter.hpp"
#include "heir.hpp"
#include "held_page.hpp"
#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"
#include "sleeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <fstream>
#include <netinet/in.h>
#include <thread>
#include <unistd.h>

namespace suite {
namespace {

/* Of networks that the machine has none of. */
constexpr char first_network[] = "10.77.1.1/24", second_network[] = "10.77.2.1/24";
constexpr char ipv6_network[] = "fd00:7777::1/64";

/** An address, also in a text's form. */
struct Address {
	explicit Address(const std::string &text)
	{
		auto *in = reinterpret_cast<sockaddr_in *>(&storage);
		auto *in6 = reinterpret_cast<sockaddr_in6 *>(&storage);

		storage.ss_family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
		void *to = storage.ss_family == AF_INET ? static_cast<void *>(&in->sin_addr) :
							  static_cast<void *>(&in6->sin6_addr);
		require(inet_pton(storage.ss_family, text.c_str(), to) == 1, text);
	}
	DAT_IA_ADDRESS_PTR get() { return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&storage); }

	sockaddr_storage storage{};
};

std::string text_of(const void *address)
{
	const auto *in = static_cast<const sockaddr_in *>(address);
	const auto *in6 = static_cast<const sockaddr_in6 *>(address);
	char text[INET6_ADDRSTRLEN] = "none";

	if (in->sin_family == AF_INET)
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
	else if (in->sin_family == AF_INET6)
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof text);
	return text;
}

/** Connects to an address; returns the one that the connection comes from. */
std::string source_of(const Adapter &adapter, Listener &listener, const std::string &to)
{
	Endpoint active(adapter), passive(adapter);
	Address address(to);
	DAT_CR_PARAM param;

	ok(active.connect(address.get(), listener.qual()));
	DAT_CR_HANDLE request = listener.request();
	ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
	const std::string source = text_of(param.remote_ia_address_ptr);
	ok(accept_request(request, passive));
	passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	return source;
}

/* ---- what is told -------------------------------------------------------- */

/* As the kernel's own files have it. */
TEST(Adapters, ThePortOfTheDevice)
{
	RawIa ia;
	const kdapl_ia_query query = ia.query();
	const std::string device = "/sys/class/infiniband/" + adapter_name();
	std::string guid, state;

	std::getline(std::ifstream(device + "/node_guid"), guid);
	guid.erase(std::remove(guid.begin(), guid.end(), ':'), guid.end());
	EXPECT_EQ(query.node_guid, std::stoull(guid, nullptr, 16));
	EXPECT_EQ(query.port, 1u);
	std::getline(std::ifstream(device + "/ports/1/state"), state);
	EXPECT_EQ(std::to_string(query.port_state) + ": ACTIVE", state);
	EXPECT_GE(query.mtu, 256u);
	EXPECT_LE(query.mtu, 65536u);
}

/* ---- addresses ----------------------------------------------------------- */

/* It listens on all of them; a connection leaves from the nearest. */
TEST(Adapters, SeveralAddresses)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network, second_network, ipv6_network });
		Adapter adapter(extra.name());
		Listener listener(adapter);

		EXPECT_EQ(text_of(adapter.address()), "10.77.1.1");
		for (const char *address : { "10.77.1.1", "10.77.2.1", "fd00:7777::1" })
			EXPECT_EQ(source_of(adapter, listener, address), address);
	});
}

/* What lies upon the adapter's netdev is the adapter's, too: its name and its addresses. */
TEST(Adapters, Vlan)
{
	if (!ExtraAdapter::vlans())
		GTEST_SKIP() << "the kernel has no VLANs";
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		extra.add_vlan("vlan77", second_network);
		Adapter adapter("vlan77");
		Listener listener(adapter);

		EXPECT_EQ(text_of(adapter.address()), "10.77.1.1");
		for (const char *address : { "10.77.1.1", "10.77.2.1" })
			EXPECT_EQ(source_of(adapter, listener, address), address);
	});
}

TEST(Adapters, OnlyIpv6)
{
	play([](Line &) {
		ExtraAdapter extra("7", { ipv6_network });
		Adapter adapter(extra.name());
		Listener listener(adapter);

		EXPECT_EQ(text_of(adapter.address()), "fd00:7777::1");
		EXPECT_EQ(source_of(adapter, listener, "fd00:7777::1"), "fd00:7777::1");
	});
}

/* Objects can be made, but nothing can be reached, and each call says so. */
TEST(Adapters, NoAddress)
{
	play([](Line &) {
		ExtraAdapter extra("7", {});
		Adapter adapter(extra.name());
		EventQueue queue(adapter, 16);
		Endpoint endpoint(adapter);
		Address address("10.77.1.1");
		DAT_CONN_QUAL qual = 0;
		DAT_PSP_HANDLE psp;

		EXPECT_EQ(text_of(adapter.address()), "none");
		fails(DAT_CONN_QUAL_UNAVAILABLE,
		      dat_psp_create(adapter.ia(), 4711, queue.evd(), DAT_PSP_CONSUMER_FLAG, &psp));
		fails(DAT_CONN_QUAL_UNAVAILABLE,
		      dat_psp_create_any(adapter.ia(), &qual, queue.evd(), DAT_PSP_CONSUMER_FLAG,
					 &psp));
		fails(DAT_INVALID_ADDRESS, endpoint.connect(address.get(), 4711));
		endpoint.require_state(DAT_EP_STATE_UNCONNECTED);
	});
}

/* ---- each for itself ------------------------------------------------------ */

/* Two adapters may have the same connection qualifier, with different owners. */
TEST(Adapters, TheSameConnectionQualifier)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter here, there(extra.name());
		Listener listener(here);
		EventQueue queue(there, 16);
		Endpoint active(there), passive(there);
		DAT_PSP_HANDLE psp;

		/* Nobody listens on this one yet. */
		ok(active.connect(there.address(), listener.qual()));
		active.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
		ok(dat_ep_reset(active.ep()));

		ok(dat_psp_create(there.ia(), listener.qual(), queue.evd(), DAT_PSP_CONSUMER_FLAG,
				  &psp));
		fails(DAT_CONN_QUAL_IN_USE, dat_psp_create(there.ia(), listener.qual(), queue.evd(),
							   DAT_PSP_CONSUMER_FLAG, &psp));
		ok(active.connect(there.address(), listener.qual()));
		const DAT_EVENT event = queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		const auto &arrival = event.event_data.cr_arrival_event_data;
		EXPECT_EQ(text_of(arrival.local_ia_address_ptr), "10.77.1.1");
		ok(accept_request(arrival.cr_handle, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_EQ(source_of(here, listener, text_of(here.address())),
			  text_of(here.address()));
		ok(dat_psp_free(psp));
	});
}

/** Two adapters with a listener each, at the same qualifier, and a caller of the first. */
struct Neighbours {
	Neighbours()
		: extra("7", { first_network }), there(extra.name()), listener(here),
		  queue(there, 16), active(here), passive(there)
	{
		ok(dat_psp_create(there.ia(), listener.qual(), queue.evd(), DAT_PSP_CONSUMER_FLAG,
				  &psp));
	}
	Neighbours(const Neighbours &) = delete;
	Neighbours &operator=(const Neighbours &) = delete;
	~Neighbours() { dat_psp_free(psp); }

	ExtraAdapter extra;
	Adapter here, there;
	Listener listener;
	EventQueue queue;
	Endpoint active, passive;
	DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
};

/* Who connects to an address that only another adapter has, leaves from his own. */
TEST(Adapters, TheAddressOfAnother)
{
	play([](Line &) {
		Neighbours n;
		const DAT_TIMEOUT timeout = n.here.iwarp() ? 20'000'000 : 2'000'000;
		DAT_CR_PARAM param;

		ok(n.active.connect(n.there.address(), n.listener.qual(), {}, timeout));
		if (n.here.iwarp()) {
			DAT_EVENT event = n.queue.expect(DAT_CONNECTION_REQUEST_EVENT);
			DAT_CR_HANDLE request = event.event_data.cr_arrival_event_data.cr_handle;
			ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
			EXPECT_EQ(text_of(param.remote_ia_address_ptr), text_of(n.here.address()));
			ok(accept_request(request, n.passive));
			n.passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			n.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		} else {
			/* rxe takes nothing that comes by another device, as this does. */
			n.active.expect_connection(DAT_CONNECTION_EVENT_TIMED_OUT);
			n.queue.require_empty();
		}
		n.listener.queue().require_empty();
	});
}

/* The EVD of one is not lent to an IA of another. */
TEST(Adapters, AsyncEvdOfAnother)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter here;
		DAT_EVD_HANDLE async = here.async_evd();
		std::string name = extra.name();
		DAT_IA_HANDLE ia;

		EXPECT_EQ(dat_ia_open(name.data(), 8, &async, &ia),
			  DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_ASYNC));
	});
}

/* ---- pulled out ----------------------------------------------------------- */

void expect_catastrophe(DAT_EVD_HANDLE evd, std::vector<DAT_HANDLE> ias)
{
	while (!ias.empty()) {
		DAT_EVENT event;
		DAT_COUNT more;

		ok(dat_evd_wait(evd, long_time, 1, &event, &more));
		EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_IA_CATASTROPHIC);
		EXPECT_EQ(std::erase(ias, event.event_data.asynch_error_event_data.dat_handle), 1u);
	}
}

TEST(Adapters, PulledOutWithoutObjects)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter adapter(extra.name()), other(extra.name(), adapter.async_evd());
		DAT_PZ_HANDLE pz;

		extra.pull();
		expect_catastrophe(adapter.async_evd(), { adapter.ia(), other.ia() });
		fails(DAT_PROVIDER_NOT_FOUND, [&] {
			DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
			std::string name = extra.name();
			DAT_IA_HANDLE ia;
			return dat_ia_open(name.data(), 8, &async, &ia);
		}());
		EXPECT_NE(dat_pz_create(adapter.ia(), &pz), DAT_SUCCESS);
	});
}

/* Who waits where another adapter's events come, too, hears of both ends. */
TEST(Adapters, PulledOutWhileSomebodyWaitsForBoth)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter owner(extra.name()), borrower(extra.name(), owner.async_evd());
		Pair pair(borrower);
		EvdWait wait(owner.async_evd());

		std::thread puller([&] { extra.pull(); });
		ok(wait.result());
		EXPECT_EQ(wait.event.event_number, DAT_ASYNC_ERROR_IA_CATASTROPHIC);
		const DAT_HANDLE first = wait.event.event_data.asynch_error_event_data.dat_handle;
		expect_catastrophe(owner.async_evd(),
				   { first == owner.ia() ? borrower.ia() : owner.ia() });
		puller.join();
	});
}

/** A call of an IA that does not end before it may; then the device goes. */
class RemovalDuringCall {
public:
	RemovalDuringCall(ExtraAdapter &extra, const Adapter &slow)
		: call_(std::async(std::launch::async, [this, &slow] { register_page(slow); }))
	{
		page_.await_touch();
		removal_ = std::async(std::launch::async, [&extra] { extra.pull(); });
	}
	RemovalDuringCall(const RemovalDuringCall &) = delete;
	RemovalDuringCall &operator=(const RemovalDuringCall &) = delete;
	~RemovalDuringCall() { page_.release(); }

	bool over() const
	{
		return removal_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
	}
	void end()
	{
		page_.release();
		call_.get();
		removal_.get();
	}

private:
	/* The device may be gone when it has the page: what it then says is no matter. */
	void register_page(const Adapter &slow)
	{
		DAT_REGION_DESCRIPTION region{};
		DAT_LMR_HANDLE lmr;
		DAT_LMR_CONTEXT context;
		DAT_RMR_CONTEXT remote;
		DAT_VLEN size;
		DAT_VADDR address;

		region.for_va = page_.address();
		if (dat_lmr_create(slow.ia(), DAT_MEM_TYPE_VIRTUAL, region, 4096, slow.pz(),
				   DAT_MEM_PRIV_LOCAL_READ_FLAG, &lmr, &context, &remote, &size,
				   &address) == DAT_SUCCESS)
			ok(dat_lmr_free(lmr));
	}

	HeldPage page_;
	std::future<void> call_, removal_;
};

/* A slow one holds up nobody who waits for events of another one. */
TEST(Adapters, PulledOutWhileAnotherIaIsInACall)
{
	if (!HeldPage::possible())
		GTEST_SKIP() << "nothing holds a call up: this kernel has no userfaultfd, or "
				"pins without it (before 6.3)";
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter slow(extra.name()), quick(extra.name(), slow.async_evd());
		EventQueue queue(quick, 16);

		EvdWait wait(queue.evd());
		RemovalDuringCall removal(extra, slow);
		fails(DAT_ABORT, wait.result());
		expect_catastrophe(slow.async_evd(), { quick.ia() });
		EXPECT_FALSE(removal.over());
		removal.end();
		expect_catastrophe(slow.async_evd(), { slow.ia() });
	});
}

/* The end of the EVD's owner does not hide what a slow borrower has to say later. */
TEST(Adapters, PulledOutWhileABorrowerIsInACall)
{
	if (!HeldPage::possible())
		GTEST_SKIP() << "nothing holds a call up: this kernel has no userfaultfd, or "
				"pins without it (before 6.3)";
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter owner(extra.name()), slow(extra.name(), owner.async_evd());
		DAT_EVENT event;
		DAT_COUNT more;

		RemovalDuringCall removal(extra, slow);
		expect_catastrophe(owner.async_evd(), { owner.ia() });
		fails(DAT_TIMEOUT_EXPIRED,
		      dat_evd_wait(owner.async_evd(), 100'000, 1, &event, &more));
		EXPECT_FALSE(removal.over());
		removal.end();
		expect_catastrophe(owner.async_evd(), { slow.ia() });
		fails(DAT_ABORT, dat_evd_wait(owner.async_evd(), long_time, 1, &event, &more));
	});
}

/* Work is flushed, connections break, who waits hears of it, and all can be freed. */
TEST(Adapters, PulledOutWithConnections)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter adapter(extra.name());
		Region region(adapter, 4096);
		Pair pair(adapter);

		pair.settle();
		ok(pair.passive.recv(region.local(0, 64), 1));
		ok(pair.passive.recv(region.local(64, 64), 2));
		EvdWait wait(pair.passive.recv_queue().evd());
		extra.pull();
		ok(wait.result());
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.user_cookie.as_64, 1u);
		EXPECT_EQ(wait.event.event_data.dto_completion_event_data.status,
			  DAT_DTO_ERR_FLUSHED);
		pair.passive.expect_recv_failure(2, DAT_DTO_ERR_FLUSHED);
		expect_catastrophe(adapter.async_evd(), { adapter.ia() });
		/* What is posted now ends likewise: an error would say that it was not posted. */
		ok(pair.passive.recv(region.local(0, 64), 3));
		ok(pair.active.send(region.local(0, 64), 4));
		pair.passive.expect_recv_failure(3, DAT_DTO_ERR_FLUSHED);
		pair.active.expect_request_failure(4, DAT_DTO_ERR_FLUSHED);
		pair.passive.require_state(DAT_EP_STATE_DISCONNECTED);
		pair.active.require_state(DAT_EP_STATE_DISCONNECTED);
	});
}

/* What was made for a request that nobody decided on does not keep the adapter open. */
TEST(Adapters, PulledOutWithARequest)
{
	play([](Line &) {
		ExtraAdapter extra("7", { first_network });
		Adapter calling(extra.name());
		Endpoint caller(calling);
		{
			Adapter adapter(extra.name());
			EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
			DAT_CONN_QUAL qual;
			DAT_PSP_HANDLE psp;

			ok(dat_psp_create_any(adapter.ia(), &qual, queue.evd(),
					      DAT_PSP_PROVIDER_FLAG, &psp));
			ok(caller.connect(calling.address(), qual));
			queue.expect(DAT_CONNECTION_REQUEST_EVENT);
			extra.pull();
			expect_catastrophe(adapter.async_evd(), { adapter.ia() });
			ok(dat_psp_free(psp));
		}
		expect_catastrophe(calling.async_evd(), { calling.ia() });
	});
}

/** Has memory pinned and a connection on an adapter; waits to be killed. */
void use_and_have_an_heir(Line &line)
{
	line.await();
	Adapter adapter(Adapter::iwarp() ? "siw7" : "rxe7");
	Region region(adapter, 4096);
	Pair pair(adapter);

	line.send(make_heir(line));
	line.send(getpid());
	for (;;)
		pause();
}

/** The program goes, whose files somebody has; then the device, before its IA ends or after. */
void pull_behind_its_program(bool after)
{
	play(
		[&](Line &line) {
			ExtraAdapter extra("7", { first_network });

			line.tell();
			pid_t heir = line.receive<pid_t>();
			sys(kill(line.receive<pid_t>(), SIGKILL));
			while (after && module_query().pinned)
				usleep(1000);
			extra.pull();
			EXPECT_EQ(module_query().pinned, 0U);
			/*
			 * In this time the end of the program finds an IA that is dead.
			 * Nobody can see that; the kernel's log would have what went wrong.
			 */
			if (!after)
				usleep(1500000);
			end_process(heir);
		},
		use_and_have_an_heir, Ending::killed);
}

TEST(Adapters, PulledOutBehindItsProgram)
{
	pull_behind_its_program(false);
}

TEST(Adapters, PulledOutWhenItsProgramIsEnded)
{
	pull_behind_its_program(true);
}

} // namespace
} // namespace suite
