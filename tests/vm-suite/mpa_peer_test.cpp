// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Soft iWARP's other end is a plain socket, which says what it likes. */

#include "endpoint.hpp"
#include "play.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace suite {
namespace {

/* A request or its answer, of MPA revision 2 and without private data. */
struct MpaFrame {
	char key[16];
	std::uint16_t bits;
	std::uint16_t length;
	std::uint16_t ird, ord;
};

/* RDMAP over DDP over MPA, without markers and sums: who asks for a read, */
struct [[gnu::packed]] ReadRequest {
	std::uint16_t length, control;
	std::uint32_t reserved, queue, number, offset;
	std::uint32_t sink_stag;
	std::uint64_t sink_to;
	std::uint32_t size, source_stag;
	std::uint64_t source_to;
	std::uint32_t crc;
};

/* and who answers with more than that, and without an end. */
struct [[gnu::packed]] ReadAnswer {
	static constexpr std::uint16_t tagged_part_of_response = 0x8142;

	std::uint16_t length, control;
	std::uint32_t sink_stag;
	std::uint64_t sink_to;
	char bytes[128];
	std::uint32_t crc;
};

/** Somebody who listens on a TCP port and answers requests to connect. */
class MpaPeer {
public:
	MpaPeer()
	{
		sockaddr_in own{};
		socklen_t size = sizeof own;

		own.sin_family = AF_INET;
		sys(bind(listener_, reinterpret_cast<sockaddr *>(&own), size));
		sys(listen(listener_, 1));
		sys(getsockname(listener_, reinterpret_cast<sockaddr *>(&own), &size));
		qual_ = ntohs(own.sin_port);
	}
	MpaPeer(const MpaPeer &) = delete;
	MpaPeer &operator=(const MpaPeer &) = delete;
	~MpaPeer()
	{
		hang_up();
		/*
		 * Nobody may be left in the queue: where TCP ends those itself the debug
		 * kernel complains of a lock that siw takes otherwise.
		 */
		fcntl(listener_, F_SETFL, O_NONBLOCK);
		while ((peer_ = accept(listener_, nullptr, nullptr)) >= 0)
			hang_up();
		close(listener_);
	}

	DAT_CONN_QUAL qual() const noexcept { return qual_; }

	/** Takes the next request, and says how many reads it serves, in so many bytes. */
	void answer(std::uint16_t reads, std::uint16_t length = 4)
	{
		const std::size_t size = offsetof(MpaFrame, ird) + length;
		MpaFrame frame{};

		peer_ = static_cast<int>(sys(accept(listener_, nullptr, nullptr)));
		require(recv(peer_, &frame, sizeof frame, MSG_WAITALL) == sizeof frame,
			"the request is cut off");
		require(std::memcmp(frame.key, "MPA ID Req Frame", sizeof frame.key) == 0,
			"it is no request");
		require(ntohs(frame.length) == sizeof frame.ird + sizeof frame.ord,
			"it has private data");
		std::memcpy(frame.key, "MPA ID Rep Frame", sizeof frame.key);
		frame.length = htons(length);
		frame.ird = htons(reads);
		frame.ord = 0;
		require(sys(send(peer_, &frame, size, 0)) == static_cast<ssize_t>(size),
			"the answer is cut off");
	}

	/** Takes the next read, of less than what is answered. */
	void answer_read()
	{
		ReadRequest request{};
		ReadAnswer answer{};

		require(recv(peer_, &request, sizeof request, MSG_WAITALL) == sizeof request,
			"the read is cut off");
		require(ntohl(request.size) < sizeof answer.bytes, "the read is too long");
		answer.length = htons(sizeof answer - sizeof answer.length - sizeof answer.crc);
		answer.control = htons(ReadAnswer::tagged_part_of_response);
		answer.sink_stag = request.sink_stag;
		answer.sink_to = request.sink_to;
		require(sys(send(peer_, &answer, sizeof answer, 0)) == sizeof answer,
			"the read's answer is cut off");
	}

	void hang_up()
	{
		if (peer_ >= 0)
			close(peer_);
		peer_ = -1;
	}

private:
	const int listener_ = static_cast<int>(sys(socket(AF_INET, SOCK_STREAM, 0)));
	int peer_ = -1;
	DAT_CONN_QUAL qual_ = 0;
};

DAT_COUNT reads_out(const Endpoint &endpoint)
{
	DAT_EP_PARAM param;

	ok(dat_ep_query(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &param));
	return param.ep_attr.max_rdma_read_out;
}

class MpaPeerTest : public testing::Test {
protected:
	void SetUp() override
	{
		if (!Adapter::iwarp())
			GTEST_SKIP() << "not over iWARP";
	}
};

/*
 * siw would refuse a read, and complete it when the queue pair goes, by when its place
 * may have another one.
 */
TEST_F(MpaPeerTest, ServesNoReads)
{
	play([](Line &) {
		Adapter adapter;
		MpaPeer peer;
		Endpoint endpoint(adapter, { .defaults = true });
		Region region(adapter, 4096);
		const DAT_UINT64 rounds = 20;

		for (DAT_UINT64 round = 0; round < rounds; round++) {
			ok(endpoint.connect(adapter.address(), peer.qual()));
			peer.answer(0);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			EXPECT_EQ(reads_out(endpoint), 0);
			ok(endpoint.read(region.local(0, 64), region.remote(0, 64), round));
			endpoint.expect_request_failure(round, DAT_DTO_ERR_LOCAL_EP);
			endpoint.expect_broken(adapter);
			peer.hang_up();
			endpoint.request_queue().require_empty();
			ok(dat_ep_reset(endpoint.ep()));
		}
		/* The next one has as many as ever. */
		EXPECT_GT(reads_out(endpoint), 0);
	});
}

/*
 * siw forgets the reads behind the one whose answer was wrong: they are flushed, and before
 * the end is told.
 */
TEST_F(MpaPeerTest, AnswersAReadWithTooMuch)
{
	play([](Line &) {
		Adapter adapter;
		MpaPeer peer;
		Endpoint endpoint(adapter, { .defaults = true, .one_queue = true });
		Region region(adapter, 4096);
		const DAT_UINT64 reads = 4;

		for (int round = 0; round < 3; round++) {
			ok(endpoint.connect(adapter.address(), peer.qual()));
			peer.answer(reads);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			for (DAT_UINT64 i = 0; i < reads; i++)
				ok(endpoint.read(region.local(i * 64, 64), region.remote(0, 64),
						 i));
			peer.answer_read();
			endpoint.expect_request_failure(0, DAT_DTO_ERR_LOCAL_LENGTH);
			for (DAT_UINT64 i = 1; i < reads; i++)
				endpoint.expect_request_failure(i, DAT_DTO_ERR_FLUSHED);
			endpoint.expect_connection(DAT_CONNECTION_EVENT_BROKEN);
			peer.hang_up();
			endpoint.request_queue().require_empty();
			ok(dat_ep_reset(endpoint.ep()));
		}
	});
}

bool on_debug_kernel()
{
	std::ifstream file("/proc/version");
	std::string version;

	return std::getline(file, version) && version.find("-kdapl") != std::string::npos;
}

/*
 * siw takes its own four bytes off the two, and copies what lies behind in the kernel's
 * memory as if it had come.
 */
TEST_F(MpaPeerTest, AnswersWithLessThanItMust)
{
	if (on_debug_kernel())
		GTEST_SKIP() << "KASAN tells of what siw copies";
	play([](Line &) {
		Adapter adapter;
		MpaPeer peer;
		Endpoint endpoint(adapter, { .defaults = true });

		ok(endpoint.connect(adapter.address(), peer.qual()));
		peer.answer(16, 2);
		auto data = endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_EQ(data.private_data_size, 0);
	});
}

TEST_F(MpaPeerTest, ServesFewerReads)
{
	play([](Line &) {
		Adapter adapter;
		MpaPeer peer;
		Endpoint endpoint(adapter, { .defaults = true });

		ok(endpoint.connect(adapter.address(), peer.qual()));
		peer.answer(1);
		endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		EXPECT_EQ(reads_out(endpoint), 1);
	});
}

/* Who set how many there must be has no connection with fewer. */
TEST_F(MpaPeerTest, ServesFewerReadsThanAreFixed)
{
	play([](Line &) {
		Adapter adapter;
		MpaPeer peer;
		Endpoint endpoint(adapter);
		DAT_EP_PARAM param{};

		param.ep_attr.max_rdma_read_out = 2;
		ok(dat_ep_modify(endpoint.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &param));
		for (std::uint16_t reads : { 2, 1, 0, 2 }) {
			ok(endpoint.connect(adapter.address(), peer.qual()));
			peer.answer(reads);
			if (reads < 2) {
				endpoint.expect_connection(DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
			} else {
				endpoint.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
				peer.hang_up();
				endpoint.expect_end();
			}
			peer.hang_up();
			ok(dat_ep_reset(endpoint.ep()));
			EXPECT_EQ(reads_out(endpoint), 2);
		}
	});
}

/** The module's threads that send requests. */
std::size_t connectors()
{
	std::size_t n = 0;

	for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
		std::ifstream file(entry.path() / "comm");
		std::string name;

		n += std::getline(file, name) && name == "kdapl_connect";
	}
	return n;
}

void await_connectors(std::size_t n, Location where = Location::current())
{
	const auto end = std::chrono::steady_clock::now() + patience();

	while (connectors() != n && std::chrono::steady_clock::now() < end)
		std::this_thread::sleep_for(std::chrono::milliseconds(50));
	require(connectors() == n, std::to_string(connectors()) + " threads", where);
}

/*
 * A request that nobody takes has a thread of the kernel, of which a user has no more
 * than so many. The others wait, and have their turn.
 */
TEST_F(MpaPeerTest, ManyWaitForNobody)
{
	play([](Line &) {
		constexpr std::size_t most = 256, many = most + 24;
		constexpr DAT_TIMEOUT long_enough = 600'000'000;
		Adapter adapter;
		MpaPeer silent;
		Listener listener(adapter);
		Endpoint late(adapter), passive(adapter);
		std::vector<std::unique_ptr<Endpoint>> waiting;

		while (waiting.size() < many) {
			waiting.push_back(std::make_unique<Endpoint>(
				adapter, EndpointSizes{ .recvs = 1,
							.requests = 1,
							.events = 4,
							.one_queue = true }));
			ok(waiting.back()->connect(adapter.address(), silent.qual(), {},
						   long_enough));
		}
		await_connectors(most);
		ok(late.connect(adapter.address(), listener.qual(), {}, long_enough));
		EXPECT_EQ(connectors(), most);

		waiting.resize(most / 2);
		listener.accept(passive);
		late.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		waiting.clear();
		await_connectors(0);
	});
}

} // namespace
} // namespace suite
