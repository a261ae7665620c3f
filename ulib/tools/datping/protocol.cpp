// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "protocol.hpp"

#include <algorithm>

#include "../common/recv_ring.hpp"
#include "../common/wire.hpp"

namespace ping {

using tools::WireReader;
using tools::WireWriter;

/* "DPNG" and "DPNC" */
static constexpr std::uint32_t hello_magic = 0x44504e47;
static constexpr std::uint32_t control_magic = 0x44504e43;
static constexpr std::uint16_t version = 1;

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
	std::vector<std::byte> bytes(wire_size);

	WireWriter(bytes)
		.put(hello_magic)
		.put(static_cast<std::uint16_t>(wire_size))
		.put(version)
		.put(static_cast<std::uint8_t>(mode))
		.put(static_cast<std::uint8_t>(verify))
		.put(static_cast<std::uint8_t>(poll))
		.put(std::uint8_t{ 0 })
		.put(size)
		.put(depth)
		.put(std::uint32_t{ 0 })
		.put(count);
	return bytes;
}

std::optional<Hello> Hello::decode(std::span<const std::byte> bytes)
{
	WireReader in(bytes);
	Hello hello;

	bool known = in.get<std::uint32_t>() == hello_magic;
	known &= in.get<std::uint16_t>() == wire_size;
	known &= in.get<std::uint16_t>() == version;
	auto mode = in.get<std::uint8_t>();
	auto verify = in.get<std::uint8_t>();
	hello.poll = in.get<std::uint8_t>() != 0;
	in.get<std::uint8_t>();
	hello.size = in.get<std::uint32_t>();
	hello.depth = in.get<std::uint32_t>();
	in.get<std::uint32_t>();
	hello.count = in.get<std::uint64_t>();
	if (!in.ok() || !known || mode < static_cast<std::uint8_t>(Mode::Send) ||
	    mode > static_cast<std::uint8_t>(Mode::Read) ||
	    verify > static_cast<std::uint8_t>(Verify::All))
		return std::nullopt;
	hello.mode = static_cast<Mode>(mode);
	hello.verify = static_cast<Verify>(verify);
	return hello;
}

void Control::encode(std::span<std::byte> room) const
{
	WireWriter(room)
		.put(control_magic)
		.put(static_cast<std::uint32_t>(kind))
		.put(sequence)
		.put(address)
		.put(context);
}

std::optional<Control> Control::decode(std::span<const std::byte> bytes)
{
	WireReader in(bytes);

	bool known = in.get<std::uint32_t>() == control_magic;
	auto kind = in.get<std::uint32_t>();
	Control control{ static_cast<Kind>(kind) };
	control.sequence = in.get<std::uint64_t>();
	control.address = in.get<std::uint64_t>();
	control.context = in.get<std::uint32_t>();
	if (!in.ok() || !known || bytes.size() != wire_size ||
	    kind < static_cast<std::uint32_t>(Kind::Begin) ||
	    kind > static_cast<std::uint32_t>(Kind::Result))
		return std::nullopt;
	return control;
}

} // namespace ping
