// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Common service points, between two programs; what a rejection says. */

#include "objects.hpp"
#include "play.hpp"

#include <string_view>

namespace suite {
namespace {

constexpr std::string_view greeting = "by a socket address";

/** Accepts the next request and takes a message over the connection. */
void serve(Adapter &adapter, Listener &listener, Line &line)
{
	Endpoint endpoint(adapter);
	Memory memory(adapter);
	const DAT_CR_HANDLE cr = listener.request();

	endpoint.recv(memory, 4096);
	ok(dat_cr_accept(cr, endpoint.ep(), 0, nullptr));
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	endpoint.expect_done(DAT_DTO_RECEIVE, greeting.size());
	require(memory.text(greeting.size()) == greeting, "another message came");
	line.meet();
}

/** Is accepted, and sends a message. */
void call(Adapter &adapter, Endpoint &endpoint, const sockaddr_storage &to, Line &line)
{
	Memory memory(adapter);

	greeting.copy(memory.data(), greeting.size());
	endpoint.connect(to);
	endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	endpoint.send(memory, greeting.size());
	endpoint.expect_done(DAT_DTO_SEND, greeting.size());
	line.meet();
}

TEST(Dat2Csp, DataGoesThrough)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);

			require(Listener::port_of(listener.address()) != 0, "no port is told");
			line.send(listener.address());
			serve(adapter, listener, line);
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			call(adapter, endpoint, line.receive<sockaddr_storage>(), line);
		});
}

TEST(Dat2Csp, ARejectionSaysWhy)
{
	constexpr std::string_view why = "come again";

	play(
		[=](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			std::string text(why), much(1000, 'x');

			line.send(listener.address());
			const DAT_CR_HANDLE cr = listener.request();
			fails(DAT_INVALID_PARAMETER, dat_cr_reject(cr, 1000, much.data()));
			ok(dat_cr_reject(cr, static_cast<DAT_COUNT>(text.size()), text.data()));
			serve(adapter, listener, line);
		},
		[=](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			const auto to = line.receive<sockaddr_storage>();

			endpoint.connect(to);
			const auto told =
				endpoint.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
			/* Over IB and RoCE all that the transport carries comes. */
			require(told.private_data_size >= static_cast<DAT_COUNT>(why.size()),
				"the words were cut");
			require(std::string_view(static_cast<const char *>(told.private_data),
						 why.size()) == why,
				"the words changed");
			ok(dat_ep_reset(endpoint.ep()));
			call(adapter, endpoint, to, line);
		});
}

TEST(Dat2Csp, HasItsPortForItself)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		EventQueue queue(adapter, DAT_EVD_CR_FLAG);
		sockaddr_storage at = listener.address();
		DAT_COMM comm{ at.ss_family, SOCK_STREAM, 0 };
		const auto address = reinterpret_cast<DAT_IA_ADDRESS_PTR>(&at);
		DAT_HANDLE other;

		fails(DAT_PORT_IN_USE,
		      dat_csp_create(adapter.ia(), &comm, address, queue.evd(), &other));
		fails(DAT_CONN_QUAL_IN_USE,
		      dat_psp_create(adapter.ia(), Listener::port_of(at), queue.evd(),
				     DAT_PSP_CONSUMER_FLAG, &other));
		comm.type = SOCK_DGRAM;
		fails(DAT_COMM_NOT_SUPPORTED,
		      dat_csp_create(adapter.ia(), &comm, address, queue.evd(), &other));
	});
}

TEST(Dat2Csp, HasTheAdaptersAddresses)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, DAT_EVD_CR_FLAG);
		DAT_COMM comm{ AF_INET, SOCK_STREAM, 0 };
		sockaddr_in in{};
		const auto address = reinterpret_cast<DAT_IA_ADDRESS_PTR>(&in);
		DAT_HANDLE csp;

		in.sin_family = AF_INET;
		in.sin_addr.s_addr = htonl(0x08080808);
		fails(DAT_INVALID_ADDRESS,
		      dat_csp_create(adapter.ia(), &comm, address, queue.evd(), &csp));
		in.sin_addr.s_addr = htonl(INADDR_ANY);
		ok(dat_csp_create(adapter.ia(), &comm, address, queue.evd(), &csp));
		ok(dat_csp_free(csp));
	});
}

} // namespace
} // namespace suite
