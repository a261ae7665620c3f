// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copy {

using tools::Error;

static constexpr std::size_t control_size = Header::wire_size + max_body;
/* Beside the chunks, what may arrive before an answer: File, End, Fail, Bye. */
static constexpr std::size_t spare_recvs = 4;
static constexpr std::size_t send_slots = 2 * max_slots;

Error nonsense(std::string_view what)
{
	return Error(fmt::format("the peer does not keep to the protocol: {}", what));
}

static bool data_in_messages(const Hello &hello, Role role)
{
	return hello.mode == Mode::Send && role == Role::Receiver;
}

static std::size_t recv_count(const Hello &hello, Role role)
{
	if (data_in_messages(hello, role))
		return hello.slots + spare_recvs;
	return std::max(hello.slots + spare_recvs, tools::RecvRing::enough);
}

static std::size_t recv_size(const Hello &hello, Role role)
{
	if (data_in_messages(hello, role))
		return std::max(Header::wire_size + hello.chunk, control_size);
	return control_size;
}

static DAT_MEM_PRIV_FLAGS slot_access(const Hello &hello, Role role)
{
	if (hello.mode == Mode::Write && role == Role::Receiver)
		return tools::remote_writable;
	if (hello.mode == Mode::Read && role == Role::Sender)
		return tools::remote_readable;
	return tools::local_access;
}

static tools::EndpointSizes endpoint_sizes(const Hello &hello, Role role)
{
	tools::EndpointSizes sizes{};

	sizes.recvs = static_cast<DAT_COUNT>(recv_count(hello, role));
	sizes.requests = static_cast<DAT_COUNT>(send_slots + hello.slots);
	sizes.segments = 2;
	return sizes;
}

Link::Link(const tools::Adapter &adapter, const Hello &how, Role role)
	: hello(how), recvs_(adapter, recv_count(hello, role), recv_size(hello, role)),
	  sends_(adapter, send_slots, control_size),
	  connection(adapter, endpoint_sizes(hello, role), tools::Waiting::Sleep)
{
	if (!data_in_messages(hello, role))
		slots.emplace(adapter, hello.slots, hello.chunk, slot_access(hello, role));
	recvs_.post_all(connection);
}

Incoming Link::take(const tools::Message &message)
{
	auto header = Header::decode(message.bytes);

	if (!header)
		throw nonsense("that is no message of datcp");
	auto body = message.bytes.subspan(Header::wire_size);
	if (header->kind == Kind::Fail) {
		std::string_view text(reinterpret_cast<const char *>(body.data()), body.size());
		throw Error(fmt::format("the other side says: {}", tools::printable(text)));
	}
	return { *header, body, message };
}

Incoming Link::next()
{
	return take(recvs_.next(connection));
}

std::optional<Incoming> Link::try_next()
{
	auto message = recvs_.try_next(connection);

	if (!message)
		return std::nullopt;
	return take(*message);
}

Header Link::expect(Kind kind)
{
	Incoming in = next();

	if (in.header.kind != kind)
		throw nonsense("a message at the wrong time");
	release(in);
	return in.header;
}

/* Takes note of a finished send or RDMA read; writes finish with their Data. */
void Link::reap()
{
	tools::Completion completion = connection.next_request();

	if (completion.cookie & tools::SendRing::tag)
		sends_.completed(completion.cookie);
	else
		reads_done_++;
}

/* A slot for the next message to be sent. */
std::span<std::byte> Link::room()
{
	while (sends_.full())
		reap();
	return sends_.next();
}

std::uint64_t Link::send(Header header, std::span<const std::byte> body, tools::Tell tell)
{
	auto message = room();

	header.body = static_cast<std::uint32_t>(body.size());
	header.encode(message);
	std::copy(body.begin(), body.end(), message.begin() + Header::wire_size);
	return sends_.send(connection, Header::wire_size + body.size(), tell);
}

std::uint64_t Link::send_slot(Header header, std::size_t slot, std::size_t length)
{
	DAT_LMR_TRIPLET chunk = slots->segment(slot, length);
	auto message = room();

	header.body = static_cast<std::uint32_t>(length);
	header.encode(message);
	return sends_.send(connection, Header::wire_size, tools::Tell::Each, &chunk);
}

void Link::await_send(std::uint64_t number)
{
	while (sends_.finished() <= number)
		reap();
}

void Link::await_read()
{
	while (reads_done_ == reads_awaited_)
		reap();
	reads_awaited_++;
}

void Link::send_windows()
{
	std::vector<DAT_RMR_TRIPLET> windows;

	for (std::size_t i = 0; i < hello.slots; i++)
		windows.push_back(slots->remote(i));
	send({ Kind::Window }, encode_windows(windows));
}

std::vector<DAT_RMR_TRIPLET> Link::receive_windows()
{
	Incoming in = next();
	auto windows = decode_windows(in.body, hello);

	if (in.header.kind != Kind::Window || !windows)
		throw nonsense("it does not tell where its slots are");
	release(in);
	return *windows;
}

void Link::fail(std::string_view why)
{
	why = why.substr(0, max_body);
	try {
		auto text = std::as_bytes(std::span(why));
		await_send(send({ Kind::Fail }, text, tools::Tell::Each));
	} catch (const Error &) {
		/* The connection is gone, and the peer knows that much. */
	}
}

} // namespace copy
