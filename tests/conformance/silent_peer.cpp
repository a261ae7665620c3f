// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "silent_peer.hpp"

#include "settings.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <cstring>
#include <random>

namespace suite {

namespace {

/* The numbers of events, which no header for programs has without librdmacm. */
constexpr std::uint32_t addr_resolved = 0, route_resolved = 2, connect_response = 5;
constexpr std::uint8_t reliable_connection = 2;
constexpr std::uint32_t resolve_ms = 4000;

template <typename T>
std::uint64_t address_of(T &object)
{
	return reinterpret_cast<std::uintptr_t>(&object);
}

/* No queue pair has it, and nobody before: it would be taken for its old connection. */
std::uint32_t unused_qp_number()
{
	return 0x800000 | (std::random_device()() & 0x7fffff);
}

} // namespace

SilentPeer::SilentPeer(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual)
	: fd_(static_cast<int>(sys(open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC))))
{
	rdma_ucm_create_id_resp made{};
	rdma_ucm_create_id create{};

	create.response = address_of(made);
	/* Without a name it is told of nothing. */
	create.uid = 1;
	create.ps = RDMA_PS_TCP;
	create.qp_type = reliable_connection;
	call(RDMA_USER_CM_CMD_CREATE_ID, create, sizeof made);
	id_ = made.id;
	resolve(address, qual);
	connect();
}

SilentPeer::~SilentPeer()
{
	close(fd_);
}

void SilentPeer::await_acceptance(Location where)
{
	await(connect_response, where);
}

void SilentPeer::write(const void *message, std::size_t size) const
{
	require(sys(::write(fd_, message, size)) == static_cast<long>(size),
		"the connection manager took a part of a command");
}

template <typename Command>
void SilentPeer::call(std::uint32_t number, Command command, std::size_t answer) const
{
	struct {
		rdma_ucm_cmd_hdr header;
		Command command;
	} message{};

	message.header.cmd = number;
	message.header.in = sizeof command;
	message.header.out = static_cast<std::uint16_t>(answer);
	message.command = command;
	write(&message, sizeof message);
}

void SilentPeer::await(std::uint32_t event, Location where) const
{
	pollfd ready{ fd_, POLLIN, 0 };
	rdma_ucm_event_resp told{};
	rdma_ucm_get_event get{};

	require(poll(&ready, 1, static_cast<int>(patience().count())) == 1,
		"the connection manager says nothing", where);
	get.response = address_of(told);
	call(RDMA_USER_CM_CMD_GET_EVENT, get, sizeof told);
	require(told.event == event,
		"the connection manager's event is " + std::to_string(told.event), where);
}

void SilentPeer::resolve(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qual) const
{
	rdma_ucm_resolve_ip to{};
	rdma_ucm_resolve_route route{};
	sockaddr_in in{};

	std::memcpy(&in, address, sizeof in);
	require(in.sin_family == AF_INET && qual <= UINT16_MAX, "only to a port by IPv4");
	in.sin_port = htons(static_cast<std::uint16_t>(qual));
	std::memcpy(&to.dst_addr, &in, sizeof in);
	to.id = id_;
	to.timeout_ms = resolve_ms;
	call(RDMA_USER_CM_CMD_RESOLVE_IP, to);
	await(addr_resolved, Location::current());
	route.id = id_;
	route.timeout_ms = resolve_ms;
	call(RDMA_USER_CM_CMD_RESOLVE_ROUTE, route);
	await(route_resolved, Location::current());
}

void SilentPeer::connect() const
{
	rdma_ucm_connect connect{};

	connect.id = id_;
	connect.conn_param.valid = 1;
	connect.conn_param.qp_num = unused_qp_number();
	/* As an Endpoint has them. */
	connect.conn_param.responder_resources = 4;
	connect.conn_param.initiator_depth = 4;
	call(RDMA_USER_CM_CMD_CONNECT, connect);
}

} // namespace suite
