// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "client.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../common/pattern.hpp"

namespace ping {

using tools::Clock;
using tools::Error;
using tools::Pattern;

/* The peer uses messages of this version, but not as it should. */
static Error nonsense(const char *what)
{
	return Error(fmt::format("the server does not keep to the protocol: {}", what));
}

static std::uint64_t nanoseconds_since(Clock::time_point start)
{
	return static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
}

Client::Client(const tools::Adapter &adapter, const Hello &hello)
	: session_(adapter, hello, tools::local_access,
		   hello.poll ? tools::Waiting::Poll : tools::Waiting::Sleep),
	  slots_(hello.depth), windows_(hello.depth)
{
	session_.rdma_done = [this](std::uint64_t sequence) { on_rdma(sequence); };
}

Report Client::run(const Target &target)
{
	auto &connection = session_.connection;

	connection.connect(target.peer, target.port, session_.hello.encode(), target.timeout);
	connection.set_idle_limit(target.idle);
	if (session_.hello.mode != Mode::Send)
		learn_windows();
	auto start = Clock::now();
	if (session_.hello.mode == Mode::Send)
		ping_pong();
	else
		move_rdma();
	report_.seconds = tools::Seconds(Clock::now() - start).count();

	session_.send({ Kind::Finish });
	Control result = session_.next_control();
	if (result.kind != Kind::Result)
		throw nonsense("no result after the end");
	report_.local = session_.verdict;
	report_.remote.verified = result.sequence;
	report_.remote.wrong = result.address;
	connection.disconnect(target.timeout);
	return report_;
}

void Client::learn_windows()
{
	session_.send({ Kind::Begin });
	for (std::size_t known = 0; known < windows_.size(); known++) {
		Control window = session_.next_control();
		if (window.kind != Kind::Window || window.sequence != known)
			throw nonsense("it does not tell where its buffers are");
		windows_[known].rmr_context = window.context;
		windows_[known].target_address = window.address;
		windows_[known].segment_length = session_.hello.size;
	}
}

/* Mode send: every message is answered by one of the same size. */
void Client::ping_pong()
{
	const Hello &hello = session_.hello;
	std::uint64_t sent = 0;

	for (std::uint64_t answered = 0; answered < hello.count; answered++) {
		for (; sent < hello.count && sent - answered < hello.depth; sent++) {
			auto bytes = session_.next_data().first(hello.size);
			if (hello.verified(sent))
				Pattern{ to_server, sent }.fill(bytes);
			slots_[index(sent)].start = Clock::now();
			session_.send_data();
		}
		tools::Message answer = session_.recvs.next(session_.connection);
		report_.latency.add(nanoseconds_since(slots_[index(answered)].start));
		if (answer.bytes.size() != hello.size)
			throw nonsense("an answer has another size than its message");
		if (hello.verified(answered))
			session_.verdict.look(to_client, answered, answer.bytes);
		session_.recvs.repost(session_.connection, answer);
	}
}

/* Modes write and read: as many messages under way as there are buffers. */
void Client::move_rdma()
{
	const Hello &hello = session_.hello;

	for (std::uint64_t sequence = 0; sequence < hello.count; sequence++) {
		Slot &slot = slots_[index(sequence)];
		while (slot.state != State::Free)
			progress(slot);
		slot.sequence = sequence;
		if (hello.mode == Mode::Write)
			start_write(slot);
		else
			start_read(slot);
	}
	for (const Slot &slot : slots_) {
		while (slot.state != State::Free)
			progress(slot);
	}
}

void Client::start_write(Slot &slot)
{
	const Hello &hello = session_.hello;
	const std::size_t i = index(slot.sequence);
	const bool verified = hello.verified(slot.sequence);
	/* The Notify that follows a verified write completes for both. */
	const auto flags = verified ? DAT_COMPLETION_SUPPRESS_FLAG : DAT_COMPLETION_DEFAULT_FLAG;

	/* The acknowledgement can be here before the write's own completion is. */
	if (slot.notify)
		session_.await_send(*slot.notify);
	slot.notify.reset();
	if (verified)
		Pattern{ to_server, slot.sequence }.fill(session_.data->bytes(i));
	slot.start = Clock::now();
	slot.state = verified ? State::WaitControl : State::WaitRdma;
	session_.connection.post_write(session_.data->segment(i, hello.size), windows_[i],
				       slot.sequence, flags);
	if (verified)
		slot.notify = session_.send({ Kind::Notify, slot.sequence }, tools::Tell::Each);
}

void Client::start_read(Slot &slot)
{
	/* The server has filled its buffers once, for the first messages. */
	if (slot.sequence < slots_.size() || !session_.hello.verified(slot.sequence)) {
		post_read(slot);
		return;
	}
	slot.state = State::WaitControl;
	session_.send({ Kind::Fill, slot.sequence });
}

void Client::post_read(Slot &slot)
{
	const std::size_t i = index(slot.sequence);

	slot.start = Clock::now();
	slot.state = State::WaitRdma;
	session_.connection.post_read(session_.data->segment(i, session_.hello.size), windows_[i],
				      slot.sequence);
}

/* Handles what has happened; when nothing has, waits for what frees the slot. */
void Client::progress(const Slot &awaited)
{
	bool any = false;

	while (auto completion = session_.connection.try_request()) {
		session_.handle(*completion);
		any = true;
	}
	while (auto control = session_.try_control()) {
		on_control(*control);
		any = true;
	}
	if (any)
		return;
	if (awaited.state == State::WaitRdma)
		session_.handle(session_.connection.next_request());
	else
		on_control(session_.next_control());
}

Client::Slot &Client::expect(std::uint64_t sequence, State state)
{
	Slot &slot = slots_[index(sequence)];

	if (slot.sequence != sequence || slot.state != state)
		throw nonsense("it speaks of a message that is not under way");
	return slot;
}

void Client::on_control(const Control &control)
{
	Slot &slot = expect(control.sequence, State::WaitControl);
	const bool write = session_.hello.mode == Mode::Write;

	if (control.kind != (write ? Kind::Acknowledge : Kind::Ready))
		throw nonsense("a message of the wrong kind");
	if (write)
		finish(slot);
	else
		post_read(slot);
}

void Client::on_rdma(std::uint64_t sequence)
{
	Slot &slot = expect(sequence, State::WaitRdma);

	finish(slot);
	if (session_.hello.mode == Mode::Read && session_.hello.verified(sequence))
		session_.verdict.look(to_client, sequence, session_.data->bytes(index(sequence)));
}

void Client::finish(Slot &slot)
{
	report_.latency.add(nanoseconds_since(slot.start));
	slot.state = State::Free;
}

} // namespace ping
