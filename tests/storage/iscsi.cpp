// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "iscsi.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace iscsi {

using suite::ok;
using suite::require;

namespace {

constexpr DAT_CONN_QUAL port = 3260;
constexpr DAT_UINT64 send_cookie = 1ULL << 32;

void put(unsigned char *place, std::uint64_t value, std::size_t size)
{
	while (size-- > 0) {
		place[size] = static_cast<unsigned char>(value);
		value >>= 8;
	}
}

sockaddr_in target_address()
{
	const char *text = std::getenv("KDAPL_TARGET");
	sockaddr_in address{};

	if (!text)
		text = std::getenv("KDAPL_ADDR");
	address.sin_family = AF_INET;
	require(text && inet_pton(AF_INET, text, &address.sin_addr) == 1,
		"no address in KDAPL_ADDR");
	return address;
}

} // namespace

std::string target_name()
{
	const char *name = std::getenv("KDAPL_IQN");

	return name ? name : "iqn.2004-01.test.kdapl:disk";
}

/* ---- messages ---- */

Message::Message(unsigned char opcode, unsigned char flags)
{
	header[0] = opcode;
	header[1] = flags;
}

Message &Message::u8(std::size_t offset, unsigned char value)
{
	header.at(offset) = value;
	return *this;
}

Message &Message::u16(std::size_t offset, std::uint16_t value)
{
	put(&header.at(offset), value, 2);
	return *this;
}

Message &Message::u24(std::size_t offset, std::uint32_t value)
{
	put(&header.at(offset), value, 3);
	return *this;
}

Message &Message::u32(std::size_t offset, std::uint32_t value)
{
	put(&header.at(offset), value, 4);
	return *this;
}

Message &Message::with(std::string_view bytes)
{
	data.assign(bytes.begin(), bytes.end());
	u24(5, static_cast<std::uint32_t>(data.size()));
	data.resize((data.size() + 3) / 4 * 4);
	return *this;
}

Bytes Message::bytes() const
{
	Bytes all(both_size);

	all[0] = iser_flags;
	if (write) {
		all[0] |= 0x08;
		put(&all[4], write->rmr_context, 4);
		put(&all[8], write->target_address, 8);
	}
	if (read) {
		all[0] |= 0x04;
		put(&all[16], read->rmr_context, 4);
		put(&all[20], read->target_address, 8);
	}
	std::copy(header.begin(), header.end(), all.begin() + iser_size);
	all.insert(all.end(), data.begin(), data.end());
	return all;
}

unsigned char Received::u8(std::size_t offset) const
{
	return iser_size + offset < bytes_.size() ? bytes_[iser_size + offset] : 0;
}

std::uint32_t Received::u32(std::size_t offset) const
{
	std::uint32_t value = 0;

	for (std::size_t i = 0; i < 4; i++)
		value = value << 8 | u8(offset + i);
	return value;
}

std::string Received::data() const
{
	const std::size_t length = std::min<std::size_t>(
		u32(4) & 0xffffff, bytes_.size() - std::min(bytes_.size(), both_size));

	return std::string(reinterpret_cast<const char *>(bytes_.data()) + both_size * (length > 0),
			   length);
}

/* ---- a connection ---- */

Connection::Connection(const suite::Adapter &adapter, DAT_COUNT requests)
	: sends_(adapter, slot_size * static_cast<std::size_t>(requests)),
	  receives_(adapter, slot_size * receive_slots), memory_(adapter, 1 << 20),
	  endpoint_(adapter, { .recvs = static_cast<DAT_COUNT>(receive_slots),
			       .requests = requests,
			       .recv_iov = 1,
			       .request_iov = 1,
			       .events = static_cast<DAT_COUNT>(receive_slots) + requests + 16,
			       .one_queue = true })
{
	for (std::size_t slot = 0; slot < static_cast<std::size_t>(requests); slot++)
		free_sends_.push_back(slot);
	for (std::size_t slot = 0; slot < receive_slots; slot++)
		post_receive(slot);
}

void Connection::post_receive(std::size_t slot)
{
	ok(endpoint_.recv(receives_.local(slot * slot_size, slot_size), slot));
}

bool Connection::connect(std::string_view private_data)
{
	sockaddr_in address = target_address();
	const auto deadline = std::chrono::steady_clock::now() + patience;

	ok(endpoint_.connect(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address), port, private_data));
	over_ = false;
	while (!connected_ && !over_)
		require(await_event(deadline), "neither connected nor refused");
	return connected_;
}

/* Takes one event; false when the time is up. */
bool Connection::await_event(std::chrono::steady_clock::time_point deadline)
{
	using std::chrono::microseconds;

	const auto left = std::chrono::duration_cast<microseconds>(
		deadline - std::chrono::steady_clock::now());
	DAT_EVENT event;
	DAT_COUNT more;

	if (left.count() <= 0)
		return false;
	const DAT_RETURN result =
		dat_evd_wait(endpoint_.recv_queue().evd(), static_cast<DAT_TIMEOUT>(left.count()),
			     1, &event, &more);
	if (DAT_GET_TYPE(result) == DAT_TIMEOUT_EXPIRED)
		return false;
	ok(result);
	take(event);
	return true;
}

void Connection::take(const DAT_EVENT &event)
{
	if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) {
		connected_ = true;
		return;
	}
	if (event.event_number != DAT_DTO_COMPLETION_EVENT) {
		over_ = true;
		return;
	}
	const DAT_DTO_COMPLETION_EVENT_DATA &dto = event.event_data.dto_completion_event_data;
	const DAT_UINT64 cookie = dto.user_cookie.as_64;

	if (cookie >= send_cookie) {
		free_sends_.push_back(static_cast<std::size_t>(cookie - send_cookie));
		return;
	}
	if (dto.status != DAT_DTO_SUCCESS)
		return;
	const auto slot = static_cast<std::size_t>(cookie);
	const auto bytes =
		receives_.bytes(slot * slot_size, static_cast<std::size_t>(dto.transfered_length));
	arrived_.emplace_back(Bytes(bytes.begin(), bytes.end()));
	if (!over_)
		post_receive(slot);
}

bool Connection::send(const Bytes &bytes)
{
	const auto deadline = std::chrono::steady_clock::now() + patience;

	require(bytes.size() <= slot_size, "a message that is too long for the test");
	while (free_sends_.empty() && !over_)
		require(await_event(deadline), "no send ends");
	if (over_)
		return false;
	const std::size_t slot = free_sends_.back();
	std::copy(bytes.begin(), bytes.end(), sends_.data() + slot * slot_size);
	const DAT_RETURN result =
		endpoint_.send(sends_.local(slot * slot_size, bytes.size()), send_cookie + slot);
	/* The end may have come meanwhile; its event has not been taken yet. */
	if (DAT_GET_TYPE(result) == DAT_INVALID_STATE)
		return false;
	ok(result);
	free_sends_.pop_back();
	return true;
}

std::optional<Received> Connection::receive(milliseconds limit)
{
	const auto deadline = std::chrono::steady_clock::now() + limit;

	while (arrived_.empty() && !over_) {
		if (!await_event(deadline))
			break;
	}
	if (arrived_.empty())
		return {};
	Received first = arrived_.front();
	arrived_.erase(arrived_.begin());
	return first;
}

std::optional<Received> Connection::receive(Answer opcode, milliseconds limit)
{
	while (auto answer = receive(limit)) {
		if (answer->opcode() == opcode)
			return answer;
	}
	return {};
}

bool Connection::dropped(milliseconds limit)
{
	const auto deadline = std::chrono::steady_clock::now() + limit;

	while (!over_) {
		if (!await_event(deadline))
			return false;
	}
	return true;
}

bool Connection::refused(milliseconds limit)
{
	while (auto answer = receive(limit)) {
		if (answer->opcode() == reject)
			return true;
		if (answer->opcode() == login_response && answer->u8(36) != 0)
			return true;
		/* A command's end that is no success. */
		if (answer->opcode() == response && (answer->u8(2) != 0 || answer->u8(3) != 0))
			return true;
	}
	return over_;
}

void Connection::leave(DAT_CLOSE_FLAGS flags)
{
	if (over_)
		return;
	ok(dat_ep_disconnect(endpoint_.ep(), flags));
	require(dropped(), "the end of a connection does not come");
}

/* ---- a session ---- */

std::string Session::keys()
{
	std::string all;

	all = "TargetName=" + target_name() + '\0';
	for (const char *key :
	     { "InitiatorName=iqn.2004-01.test.kdapl:hostile", "SessionType=Normal",
	       "HeaderDigest=None", "DataDigest=None", "RDMAExtensions=Yes", "InitialR2T=No",
	       "ImmediateData=Yes", "MaxConnections=1", "ErrorRecoveryLevel=0",
	       "InitiatorRecvDataSegmentLength=8192", "TargetRecvDataSegmentLength=8192",
	       "MaxBurstLength=262144", "FirstBurstLength=65536", "MaxOutstandingR2T=1",
	       "DefaultTime2Wait=0", "DefaultTime2Retain=0" })
		all += std::string(key) + '\0';
	return all;
}

std::string Session::discovery_keys()
{
	std::string all;

	for (const char *key :
	     { "InitiatorName=iqn.2004-01.test.kdapl:hostile", "SessionType=Discovery",
	       "HeaderDigest=None", "DataDigest=None", "RDMAExtensions=Yes",
	       "InitiatorRecvDataSegmentLength=8192", "TargetRecvDataSegmentLength=8192" })
		all += std::string(key) + '\0';
	return all;
}

/* From operational negotiation to the full feature phase. */
Message Session::login_request(const std::string &keys) const
{
	Message message(login | immediate, 0x87);

	message.u32(8, 0x80000000).u16(12, isid).u32(16, 0x1000).u32(24, 1).with(keys);
	return message;
}

std::optional<unsigned> Session::log_in(const std::string &text, const std::string &answers)
{
	constexpr int steps = 4;
	Message first = login_request(text);

	if (!answers.empty())
		first.u8(1, 0x04);
	if (!connection.connect() || !connection.send(first))
		return {};
	for (int step = 0; step < steps; step++) {
		auto answer = connection.receive();

		if (!answer || answer->opcode() != login_response)
			return {};
		status_number = answer->u32(24) + 1;
		command_number = answer->u32(28);
		if (answer->u8(36) != 0)
			return answer->u8(36);
		tsih = static_cast<std::uint16_t>(answer->u8(14) << 8 | answer->u8(15));
		if (answer->u8(1) & final_flag)
			return 0;
		if (!connection.send(login_request(step ? "" : answers).u32(28, status_number)))
			return {};
	}
	return {};
}

Message Session::request(unsigned char opcode, unsigned char flags)
{
	Message message(opcode, flags);

	message.u32(16, tag++).u32(24, command_number).u32(28, status_number);
	if (!(opcode & immediate))
		command_number++;
	return message;
}

Message Session::test_unit_ready()
{
	return request(command, final_flag | 1);
}

/* READ(10) or WRITE(10) of the disk's first blocks; it expects so many bytes. */
Message Session::transfer(unsigned char flags, std::uint32_t blocks, std::uint32_t expected)
{
	Message message = request(command, static_cast<unsigned char>(final_flag | flags | 1));

	message.u32(20, expected).u8(32, flags & write_flag ? 0x2a : 0x28);
	message.u16(39, static_cast<std::uint16_t>(blocks));
	return message;
}

Message Session::read_blocks(std::uint32_t blocks)
{
	Message message = transfer(read_flag, blocks, blocks * block_size);

	message.read = connection.remote(blocks * block_size);
	return message;
}

Message Session::write_blocks(std::uint32_t blocks)
{
	Message message = transfer(write_flag, blocks, blocks * block_size);

	message.write = connection.remote(blocks * block_size);
	return message;
}

std::optional<unsigned> Session::run(const Message &message)
{
	if (!connection.send(message))
		return {};
	auto answer = connection.receive(response);

	if (!answer)
		return {};
	status_number = answer->u32(24) + 1;
	return answer->u8(3);
}

bool Session::log_out()
{
	return connection.send(request(logout | immediate, final_flag)) &&
	       connection.receive(logout_response).has_value();
}

} // namespace iscsi
