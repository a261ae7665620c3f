// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server of kdapl_perf as a program: the kernel is the client of a user's server.
 * It prints "port N", serves one client and prints how much of what it got was wrong.
 *
 *     perf_server & echo "192.168.77.1 N send64_d1 100 verify" >/sys/kernel/debug/kdapl_perf/run
 *
 * What the two say to each other stands in kmod/consumers/perf/rows.c.
 */
#include "endpoint.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <endian.h>

namespace {

using namespace suite;

constexpr std::size_t message = 64;
constexpr std::uint32_t magic = 0x6b504552;
/* Messages of a stream that the server answers with one. */
constexpr std::uint32_t credit = 128;

enum class Pattern { ping_pong, stream, write, read };

struct Row {
	Pattern pattern;
	std::uint32_t size, window, recvs, warm_up;
};

constexpr std::array<Row, 4> rows{ {
	{ Pattern::ping_pong, message, 16, 256, 128 },
	{ Pattern::stream, message, 64, 512, 128 },
	{ Pattern::write, 65536, 8, 16, 16 },
	{ Pattern::read, 65536, 8, 16, 16 },
} };

/* All numbers on the wire are big endian. */
struct Hello {
	std::uint32_t magic, row, count, verify;
};

struct Order {
	Row row;
	std::uint32_t total;
	bool verify;
};

/* The DAT_RMR_CONTEXT of what the client may use, and where it begins. */
struct [[gnu::packed]] Offer {
	std::uint64_t address;
	std::uint32_t key;
};

Order order_of(DAT_CR_HANDLE request)
{
	DAT_CR_PARAM param;
	Hello hello;

	ok(dat_cr_query(request, DAT_CR_FIELD_ALL, &param));
	require(param.private_data_size >= static_cast<DAT_COUNT>(sizeof(hello)), "no hello");
	std::memcpy(&hello, param.private_data, sizeof(hello));
	require(be32toh(hello.magic) == magic, "that is no client of kdapl_perf");
	require(be32toh(hello.row) < rows.size(), "no such row");
	const Row &row = rows[be32toh(hello.row)];
	return { row, be32toh(hello.count) + row.warm_up, hello.verify != 0 };
}

unsigned char byte_of(std::uint32_t index)
{
	return static_cast<unsigned char>(1 + index % 251);
}

/* One client, from its request to its end. */
class Session {
public:
	Session(const Adapter &adapter, const Order &order)
		: order_(order), row_(order_.row),
		  messages_(adapter, (row_.recvs + row_.window) * message),
		  data_(adapter, std::size_t(row_.window) * row_.size),
		  endpoint_(adapter, sizes(row_))
	{
		for (std::uint32_t i = 0; i < row_.recvs; i++)
			post_receive(i);
		for (std::uint32_t i = 0; row_.pattern == Pattern::read && i < row_.window; i++)
			std::ranges::fill(slot(i), byte_of(i));
	}

	Endpoint &endpoint() { return endpoint_; }

	/* The messages of the row that were not what they must be. */
	std::uint32_t run()
	{
		receive();
		greet();
		if (row_.pattern == Pattern::ping_pong || row_.pattern == Pattern::stream)
			answer_all();
		receive();
		if (row_.pattern == Pattern::write && order_.verify)
			check_written();
		send_result();
		endpoint_.expect_end();
		return wrong_;
	}

private:
	static EndpointSizes sizes(const Row &row)
	{
		EndpointSizes sizes;

		sizes.recvs = static_cast<DAT_COUNT>(row.recvs);
		sizes.events = static_cast<DAT_COUNT>(row.recvs);
		/* As many as the client asks for: fewer are refused over iWARP. */
		sizes.reads = 16;
		return sizes;
	}

	std::span<unsigned char> slot(std::uint32_t index) const
	{
		return data_.bytes(std::size_t(index % row_.window) * row_.size, row_.size);
	}

	void check(std::span<const unsigned char> bytes, std::uint32_t index)
	{
		auto right = [index](unsigned char byte) { return byte == byte_of(index); };

		wrong_ += !std::ranges::all_of(bytes, right);
	}

	void post_receive(std::uint32_t at)
	{
		ok(endpoint_.recv(messages_.local(at * message, message), at));
	}

	/* The next message, which stays where it is until all other receives are taken. */
	std::span<const unsigned char> receive()
	{
		std::uint32_t at = taken_++ % row_.recvs;

		endpoint_.expect_recv(at, message);
		post_receive(at);
		return messages_.bytes(at * message, message);
	}

	/* Where the next message is made. */
	std::span<unsigned char> room() const
	{
		return messages_.bytes(row_.recvs * message, message);
	}

	void post_send()
	{
		ok(endpoint_.send(messages_.local(row_.recvs * message, message), sent_));
	}

	void send()
	{
		post_send();
		endpoint_.expect_request(sent_++, message);
	}

	void greet()
	{
		DAT_RMR_TRIPLET remote = data_.remote(0, data_.size());
		Offer offer{ htobe64(remote.target_address), htobe32(remote.rmr_context) };

		std::memcpy(room().data(), &offer, sizeof(offer));
		send();
	}

	void answer_all()
	{
		std::uint32_t each = row_.pattern == Pattern::ping_pong ? 1 : credit;

		for (std::uint32_t i = 0; i < order_.total; i++) {
			auto bytes = receive();

			if (order_.verify)
				check(bytes, i);
			if ((i + 1) % each)
				continue;
			std::ranges::fill(room(), byte_of(i / each));
			send();
		}
	}

	/* The last that was written to each slot. */
	void check_written()
	{
		for (std::uint32_t i = order_.total - row_.window; i < order_.total; i++)
			check(slot(i), i);
	}

	/*
	 * The client leaves when it has it. Whether that was acknowledged by then, and the
	 * request succeeds or is flushed, is up to the device.
	 */
	void send_result()
	{
		std::uint32_t wrong = htobe32(wrong_);

		std::memcpy(room().data(), &wrong, sizeof(wrong));
		post_send();
	}

	Order order_;
	const Row &row_;
	Region messages_, data_;
	Endpoint endpoint_;
	std::uint32_t taken_ = 0, sent_ = 0, wrong_ = 0;
};

std::uint32_t serve_one()
{
	Adapter adapter;
	Listener listener(adapter);

	std::printf("port %llu\n", static_cast<unsigned long long>(listener.qual()));
	std::fflush(stdout);
	DAT_CR_HANDLE request = listener.request();
	Session session(adapter, order_of(request));

	ok(accept_request(request, session.endpoint()));
	session.endpoint().expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	return session.run();
}

} // namespace

int main()
{
	try {
		std::uint32_t wrong = serve_one();

		std::printf("wrong %u\n", wrong);
		return wrong ? 1 : 0;
	} catch (const Failure &failure) {
		std::fprintf(stderr, "perf_server: %s\n", failure.what());
		return 1;
	}
}
