// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "session.hpp"

#include <fmt/format.h>

#include "../common/pattern.hpp"

namespace ping {

void Verdict::look(std::uint64_t stream, std::uint64_t sequence, std::span<const std::byte> bytes)
{
	auto bad = tools::Pattern{ stream, sequence }.mismatch(bytes);

	verified++;
	if (!bad)
		return;
	if (wrong++ == 0)
		first = fmt::format("message {} is wrong from byte {} on", sequence, *bad);
}

static tools::EndpointSizes endpoint_sizes(const Hello &hello)
{
	tools::EndpointSizes sizes{};

	sizes.recvs = static_cast<DAT_COUNT>(hello.recv_slots());
	sizes.requests = static_cast<DAT_COUNT>(hello.send_slots() + hello.depth);
	sizes.segments = 1;
	return sizes;
}

Session::Session(const tools::Adapter &adapter, const Hello &wanted, DAT_MEM_PRIV_FLAGS access,
		 tools::Waiting waiting)
	: hello(wanted), recvs(adapter, hello.recv_slots(), hello.slot_size()),
	  sends(adapter, hello.send_slots(), hello.slot_size()),
	  connection(adapter, endpoint_sizes(hello), waiting)
{
	if (hello.mode != Mode::Send)
		data.emplace(adapter, hello.depth, hello.size, access);
	recvs.post_all(connection);
}

Control Session::take(const tools::Message &message)
{
	auto control = Control::decode(message.bytes);

	if (!control)
		throw tools::Error("the peer sent something that is no message of datping");
	recvs.repost(connection, message);
	return *control;
}

Control Session::next_control()
{
	return take(recvs.next(connection));
}

std::optional<Control> Session::try_control()
{
	auto message = recvs.try_next(connection);

	if (!message)
		return std::nullopt;
	return take(*message);
}

std::span<std::byte> Session::next_data()
{
	while (sends.full())
		handle(connection.next_request());
	return sends.next();
}

std::uint64_t Session::send(const Control &control, tools::Tell tell)
{
	control.encode(next_data());
	return sends.send(connection, Control::wire_size, tell);
}

void Session::await_send(std::uint64_t number)
{
	while (sends.finished() <= number)
		handle(connection.next_request());
}

void Session::handle(const tools::Completion &completion)
{
	if (completion.cookie & tools::SendRing::tag)
		sends.completed(completion.cookie);
	else
		rdma_done(completion.cookie);
}

} // namespace ping
