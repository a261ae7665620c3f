// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "protocol.hpp"

#include <endian.h>

#include <algorithm>
#include <cstring>

#include "../common/recv_ring.hpp"

namespace ping {

std::string_view name(Mode mode)
{
	switch (mode) {
	case Mode::Send:
		return "send";
	case Mode::Write:
		return "write";
	case Mode::Read:
		return "read";
	}
	return "unknown";
}

std::string_view name(Verify verify)
{
	switch (verify) {
	case Verify::None:
		return "none";
	case Verify::Ends:
		return "ends";
	case Verify::All:
		return "all";
	}
	return "unknown";
}

bool Hello::verified(std::uint64_t sequence) const
{
	switch (verify) {
	case Verify::None:
		return false;
	case Verify::Ends:
		return sequence == 0 || sequence + 1 == count;
	case Verify::All:
		return true;
	}
	return true;
}

std::size_t Hello::slot_size() const
{
	return mode == Mode::Send ? std::max<std::size_t>(size, Control::wire_size) :
				    Control::wire_size;
}

/* Many buffers spare system calls; of large messages there are few anyway. */
static constexpr std::size_t large = 64U << 10;

std::size_t Hello::recv_slots() const
{
	const std::size_t least = 2 * std::size_t{ depth } + 4;

	return slot_size() > large ? least : std::max(least, tools::RecvRing::enough);
}

std::size_t Hello::send_slots() const
{
	return slot_size() > large ? std::size_t{ depth } + 4 :
				     std::max<std::size_t>(2 * std::size_t{ depth }, 16);
}

/* Whatever numbers a peer sends, this one does not wrap around. */
double Hello::memory() const
{
	const double data = mode == Mode::Send ? 0 : 1.0 * depth * size;

	return data +
	       static_cast<double>(recv_slots() + send_slots()) * static_cast<double>(slot_size());
}

bool Hello::acceptable() const
{
	return depth >= 1 && depth <= max_depth && count >= 1 && (size > 0 || mode == Mode::Send) &&
	       memory() <= max_memory;
}

std::vector<std::byte> Hello::encode() const
{
	datping_hello wire{};

	wire.magic = htobe32(DATPING_HELLO_MAGIC);
	wire.length = htobe16(wire_size);
	wire.version = htobe16(DATPING_VERSION);
	wire.mode = static_cast<std::uint8_t>(mode);
	wire.verify = static_cast<std::uint8_t>(verify);
	wire.poll = poll;
	wire.size = htobe32(size);
	wire.depth = htobe32(depth);
	wire.count = htobe64(count);
	auto bytes = std::as_bytes(std::span(&wire, 1));
	return { bytes.begin(), bytes.end() };
}

std::optional<Hello> Hello::decode(std::span<const std::byte> bytes)
{
	datping_hello wire;
	Hello hello;

	if (bytes.size() < wire_size)
		return std::nullopt;
	std::memcpy(&wire, bytes.data(), wire_size);
	if (be32toh(wire.magic) != DATPING_HELLO_MAGIC || be16toh(wire.length) != wire_size ||
	    be16toh(wire.version) != DATPING_VERSION || wire.mode < DATPING_SEND ||
	    wire.mode > DATPING_READ || wire.verify > DATPING_ALL)
		return std::nullopt;
	hello.mode = static_cast<Mode>(wire.mode);
	hello.verify = static_cast<Verify>(wire.verify);
	hello.poll = wire.poll != 0;
	hello.size = be32toh(wire.size);
	hello.depth = be32toh(wire.depth);
	hello.count = be64toh(wire.count);
	return hello;
}

void Control::encode(std::span<std::byte> room) const
{
	datping_control wire{};

	wire.magic = htobe32(DATPING_CONTROL_MAGIC);
	wire.kind = htobe32(static_cast<std::uint32_t>(kind));
	wire.sequence = htobe64(sequence);
	wire.address = htobe64(address);
	wire.context = htobe32(context);
	std::ranges::copy(std::as_bytes(std::span(&wire, 1)), room.begin());
}

std::optional<Control> Control::decode(std::span<const std::byte> bytes)
{
	datping_control wire;

	if (bytes.size() != wire_size)
		return std::nullopt;
	std::memcpy(&wire, bytes.data(), wire_size);
	std::uint32_t kind = be32toh(wire.kind);
	if (be32toh(wire.magic) != DATPING_CONTROL_MAGIC || kind < DATPING_BEGIN ||
	    kind > DATPING_RESULT)
		return std::nullopt;
	return Control{ static_cast<Kind>(kind), be64toh(wire.sequence), be64toh(wire.address),
			be32toh(wire.context) };
}

} // namespace ping
