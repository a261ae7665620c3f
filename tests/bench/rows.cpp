// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One loop per pattern, the same for every interface. Each message is signalled
 * and posted by a call of its own, because DAT has no call that posts several.
 *
 * A stream needs the receiver's consent: it may have so many messages on the way
 * as receives are posted, and every credit_every messages the server says that
 * it has posted them again. Without this a fast sender would measure how the
 * transports handle a receiver that is not ready.
 */

#include "rows.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t small = 64;
constexpr std::uint32_t large = 64 * 1024;
constexpr unsigned credit_every = 128;
/** Completed requests may stay untaken for a while: they are taken in passing. */
constexpr unsigned spare_requests = 16;
/** Messages before the measured ones. */
constexpr unsigned warm_up = 128;

/*
 * Receives are kept far above what is on the way, as perftest keeps them; half
 * of them is the mark below which our own library rings for a receive.
 */
constexpr Row rows[] = {
	{ "send64_d1", Pattern::ping_pong, small, 1, 256, 1 },
	{ "send64_d64", Pattern::stream, small, 64, 512, Transport::batch },
	{ "write64k", Pattern::write, large, 16, 16, Transport::batch },
	{ "read64k", Pattern::read, large, 16, 16, Transport::batch },
};

double ns(Clock::duration d)
{
	return std::chrono::duration<double, std::nano>(d).count();
}

double median(std::vector<double> &samples)
{
	const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);

	std::nth_element(samples.begin(), middle, samples.end());
	return *middle;
}

/**
 * Tells the processor that the program is in a polling loop. An emulator that
 * runs its processors in turn then goes on to the next.
 */
void relax()
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/** One side of a connection while a row runs over it. */
class Session {
public:
	Session(const Row &row, Transport &transport, bool wait)
		: row_(row), transport_(transport), wait_(wait)
	{
		for (unsigned i = 0; i < row_.recvs; i++)
			post_recv();
		transport_.connect();
	}

	void client(unsigned count, const Pace &pace);
	void server(unsigned count, const Pace &pace);

private:
	Result measure(unsigned count);
	void serve(unsigned count);
	Result ping(unsigned count);
	void pong(unsigned count);
	Result stream(unsigned count);
	void sink(unsigned count);

	unsigned max_requests() const { return row_.depth + spare_requests; }
	Piece request_slot() { return { next_request_++ % row_.depth * row_.size, row_.size }; }
	void post_recv();
	void send(std::uint32_t length);
	void post();
	unsigned take(Queue queue);
	void take_requests(bool block);
	void await_recv();
	Remote hello();
	void answer_hello();

	const Row &row_;
	Transport &transport_;
	const bool wait_;
	Remote peer_{};
	unsigned next_request_ = 0;
	unsigned next_recv_ = 0;
	unsigned outstanding_ = 0; /**< requests not completed */
	unsigned received_ = 0; /**< taken from the queue, not yet looked at */
};

void Session::post_recv()
{
	const std::size_t base = std::size_t{ row_.depth } * row_.size;

	transport_.post_recv({ base + next_recv_++ % row_.recvs * small, small });
}

void Session::send(std::uint32_t length)
{
	const Piece slot = request_slot();

	transport_.post_send({ slot.offset, length });
	outstanding_++;
}

/** Post one message of the row. */
void Session::post()
{
	if (row_.pattern == Pattern::ping_pong || row_.pattern == Pattern::stream) {
		send(row_.size);
		return;
	}
	const Piece slot = request_slot();
	const Remote remote{ peer_.address + slot.offset, peer_.key };
	if (row_.pattern == Pattern::write)
		transport_.post_write(slot, remote);
	else
		transport_.post_read(slot, remote);
	outstanding_++;
}

/** At least one completion, in the way that the row is to be measured in. */
unsigned Session::take(Queue queue)
{
	if (wait_)
		return transport_.wait(queue, row_.take);
	for (;;) {
		if (unsigned n = transport_.poll(queue, row_.take))
			return n;
		relax();
	}
}

void Session::take_requests(bool block)
{
	outstanding_ -= block ? take(Queue::request) : transport_.poll(Queue::request, row_.take);
}

/** One received message; its receive is posted again at once. */
void Session::await_recv()
{
	if (!received_) {
		received_ = take(Queue::recv);
		for (unsigned i = 0; i < received_; i++)
			post_recv();
	}
	received_--;
}

Result Session::ping(unsigned count)
{
	std::vector<double> samples(count);
	const auto start = Clock::now();
	auto before = start;

	for (double &sample : samples) {
		post();
		await_recv();
		take_requests(outstanding_ == max_requests());
		const auto now = Clock::now();
		sample = ns(now - before) / 2;
		before = now;
	}
	const double total = ns(before - start);
	return { total / count / 2, median(samples) };
}

void Session::pong(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		await_recv();
		post();
		take_requests(outstanding_ == max_requests());
	}
}

/** Keep the depth, until all are completed. Also for writes and reads. */
Result Session::stream(unsigned count)
{
	const bool consent = row_.pattern == Pattern::stream;
	const unsigned room = row_.recvs - credit_every; /* see sink() */
	unsigned credits = 0;
	const auto start = Clock::now();

	for (unsigned posted = 0; posted < count || outstanding_;) {
		while (posted < count && outstanding_ < row_.depth) {
			if (consent && posted - credits * credit_every == room) {
				await_recv();
				credits++;
			}
			post();
			posted++;
		}
		take_requests(true);
	}
	const double each = ns(Clock::now() - start) / count;
	for (; consent && credits < count / credit_every; credits++)
		await_recv();
	return { each, each };
}

/*
 * When it returns, fewer than credit_every messages are without their credit;
 * the next stream counts from zero and leaves room for them.
 */
void Session::sink(unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		await_recv();
		if (i % credit_every == 0) {
			send(small);
			take_requests(outstanding_ == max_requests());
		}
	}
}

/** Learn where the server's memory is. The client speaks first. */
Remote Session::hello()
{
	Remote remote;

	send(small);
	await_recv();
	/* The first message lies in the first receive. */
	std::memcpy(&remote, transport_.memory() + std::size_t{ row_.depth } * row_.size,
		    sizeof(remote));
	while (outstanding_)
		take_requests(true);
	return remote;
}

void Session::answer_hello()
{
	const Remote local = transport_.local();

	await_recv();
	std::memcpy(transport_.memory() + next_request_ % row_.depth * row_.size, &local,
		    sizeof(local));
	send(small);
	while (outstanding_)
		take_requests(true);
}

Result Session::measure(unsigned count)
{
	return row_.pattern == Pattern::ping_pong ? ping(count) : stream(count);
}

void Session::client(unsigned count, const Pace &pace)
{
	peer_ = hello();
	measure(warm_up);
	while (pace.next())
		pace.done(measure(count));
	send(small); /* it was the last one */
	while (outstanding_)
		take_requests(true);
	await_recv(); /* the server's last one */
}

void Session::serve(unsigned count)
{
	if (row_.pattern == Pattern::ping_pong)
		pong(count);
	else if (row_.pattern == Pattern::stream)
		sink(count);
}

/*
 * Who has a message need not have acknowledged it (soft RoCE), and acknowledges
 * nothing any more once it goes. So the client stays until the server has its
 * completions, and nobody looks for that of the server's last message.
 */
void Session::server(unsigned count, const Pace &pace)
{
	answer_hello();
	serve(warm_up);
	while (pace.next())
		serve(count);
	while (outstanding_)
		take_requests(true);
	await_recv();
	send(small); /* the client may go */
}

} // namespace

const Row *find_row(std::string_view name)
{
	for (const Row &row : rows) {
		if (row.name == name)
			return &row;
	}
	return nullptr;
}

Config row_config(const Row &row)
{
	Config config;

	config.requests = row.depth + spare_requests;
	config.recvs = row.recvs;
	config.reads = row.pattern == Pattern::read ? row.depth : 1;
	config.memory = std::size_t{ row.depth } * row.size + std::size_t{ row.recvs } * small;
	return config;
}

void run_row(const Row &row, Transport &transport, const Options &options, const Pace &pace)
{
	/* Whom nobody addresses must not take a processor from who works. */
	const bool passive = row.pattern == Pattern::write || row.pattern == Pattern::read;
	Session session(row, transport, options.wait || (options.server && passive));

	if (options.server)
		session.server(options.count, pace);
	else
		session.client(options.count, pace);
}

} // namespace bench
