// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Commands that the library would never give: sizes, flags, ids, noise. */

#include "bystander.hpp"
#include "endpoint.hpp"
#include "raw_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace suite {
namespace {

constexpr std::array<unsigned long, 39> commands = {
	KDAPL_QUERY,	    KDAPL_ADAPTER,	 KDAPL_IA_OPEN,	    KDAPL_IA_QUERY,
	KDAPL_DESTROY,	    KDAPL_PZ_CREATE,	 KDAPL_LMR_CREATE,  KDAPL_EVD_CREATE,
	KDAPL_EVD_WAIT,	    KDAPL_EVD_FILL,	 KDAPL_EP_CREATE,   KDAPL_EP_QUERY,
	KDAPL_EP_CONNECT,   KDAPL_EP_DISCONNECT, KDAPL_EP_RESET,    KDAPL_PSP_CREATE,
	KDAPL_CR_QUERY,	    KDAPL_CR_ACCEPT,	 KDAPL_CR_REJECT,   KDAPL_SUBMIT,
	KDAPL_EVD_WAITABLE, KDAPL_EVD_POST_SE,	 KDAPL_EVD_RESIZE,  KDAPL_EVD_NOTIFY,
	KDAPL_CNO_CREATE,   KDAPL_CNO_WAIT,	 KDAPL_CNO_MODIFY,  KDAPL_EP_SET_MARKS,
	KDAPL_SRQ_CREATE,   KDAPL_SRQ_RESIZE,	 KDAPL_SRQ_SET_LOW, KDAPL_RMR_CREATE,
	KDAPL_RMR_BIND,	    KDAPL_RSP_CREATE,	 KDAPL_EP_MODIFY,   KDAPL_CR_OFFER,
	KDAPL_CR_HANDOFF,   KDAPL_CSP_CREATE,	 KDAPL_CNO_FD,
};

/** An argument with room for more than any command takes. */
struct Argument {
	explicit Argument(std::uint32_t size) { set_size(size); }

	void set_size(std::uint32_t size) { std::memcpy(bytes.data(), &size, sizeof size); }
	void *data() { return bytes.data(); }

	alignas(8) std::array<unsigned char, 16384> bytes{};
};

std::string name(unsigned long command)
{
	return "command " + std::to_string(_IOC_NR(command));
}

/** What the first version of an argument had: programs of then give no more. */
std::uint32_t first_size(unsigned long command)
{
	return command == KDAPL_CNO_WAIT ? offsetof(kdapl_cno_wait, began) : _IOC_SIZE(command);
}

/* ---- the frame of a command ---- */

TEST(HostileCall, SizesOfArguments)
{
	play_hostile([] {
		for (unsigned long command : commands) {
			/* Two files, so that the first call changes nothing for the second. */
			RawIa exact_ia, longer_ia;
			std::uint32_t size = _IOC_SIZE(command);
			Argument exact(size), longer(size + 8);

			const std::uint32_t least = first_size(command);
			for (std::uint32_t wrong : { 0U, 1U, 4U, least - 1 }) {
				if (wrong >= least)
					continue;
				Argument shorter(wrong);
				EXPECT_EQ(exact_ia.file().ioctl_errno(command, shorter.data()),
					  EINVAL)
					<< name(command) << " size " << wrong;
			}
			if (least < size) {
				Argument first(least);
				EXPECT_NE(exact_ia.file().ioctl_errno(command, first.data()),
					  EINVAL)
					<< name(command);
			}
			EXPECT_EQ(longer_ia.file().ioctl_errno(command, longer.data()),
				  exact_ia.file().ioctl_errno(command, exact.data()))
				<< name(command);
			for (std::uint32_t at : { size, size + 7 }) {
				Argument unknown(size + 8);
				unknown.bytes[at] = 1;
				EXPECT_EQ(exact_ia.file().ioctl_errno(command, unknown.data()),
					  E2BIG)
					<< name(command) << " at " << at;
			}
			for (std::uint32_t huge : { 8192U, 0x7fffffffU, 0xffffffffU }) {
				Argument large(huge);
				EXPECT_EQ(exact_ia.file().ioctl_errno(command, large.data()), E2BIG)
					<< name(command);
			}
		}
	});
}

TEST(HostileCall, UnknownCommands)
{
	play_hostile([] {
		RawIa ia;
		Argument argument(64);

		for (unsigned nr = commands.size(); nr < 256; nr++)
			EXPECT_EQ(ia.file().ioctl_errno(
					  _IOC(_IOC_READ | _IOC_WRITE, KDAPL_IOC_TYPE, nr, 64),
					  argument.data()),
				  ENOTTY);
		for (unsigned type : { 0U, 0xd9U, 0xdbU, 0xffU })
			EXPECT_EQ(ia.file().ioctl_errno(_IOC(_IOC_READ | _IOC_WRITE, type, 0, 64),
							argument.data()),
				  ENOTTY);
	});
}

/* Of the doorbell it is a number, and only half of it has a meaning. */
TEST(HostileCall, NumbersOfADoorbell)
{
	play_hostile([] {
		RawFile unopened;
		RawIa ia;

		EXPECT_EQ(unopened.ring(0), EBADFD);
		EXPECT_EQ(unopened.ring(1), EBADFD);
		EXPECT_EQ(ia.file().ring(0), 0);
		for (std::uint64_t number :
		     { 0x1'0000'0000UL, 0x8000'0000'0000'0000UL, 0xffff'ffff'0000'0000UL, ~0UL })
			EXPECT_EQ(ia.file().ring(number), EINVAL) << number;
		for (std::uint64_t number : { 1UL << 31, 0xffff'ffffUL })
			EXPECT_EQ(ia.file().ring(number), ENOENT) << number;
		EXPECT_EQ(ia.file().ioctl_errno(
				  _IOC(_IOC_WRITE, KDAPL_IOC_TYPE, _IOC_NR(KDAPL_DOORBELL), 16),
				  nullptr),
			  ENOTTY);
	});
}

TEST(HostileCall, BadPointers)
{
	play_hostile([] {
		RawIa ia;
		Pages pages(2 * 4096);

		sys(mprotect(pages.data() + 4096, 4096, PROT_NONE));
		for (unsigned long command : commands) {
			std::uint32_t size = _IOC_SIZE(command);

			for (void *pointer :
			     { static_cast<void *>(nullptr), reinterpret_cast<void *>(~0xfffUL),
			       reinterpret_cast<void *>(0xdead'beef'0000),
			       static_cast<void *>(pages.data() + 4096) })
				EXPECT_EQ(ia.file().ioctl_errno(command, pointer), EFAULT)
					<< name(command);
			/* The size can be read, the rest cannot. */
			if (size <= 4)
				continue;
			void *edge = pages.data() + 4096 - 4;
			std::memcpy(edge, &size, sizeof size);
			EXPECT_EQ(ia.file().ioctl_errno(command, edge), EFAULT) << name(command);
		}
	});
}

TEST(HostileCall, BeforeAndAfterTheOpening)
{
	play_hostile([] {
		RawFile file;
		RawIa ia;
		kdapl_ia_open again{};

		for (unsigned long command : commands) {
			Argument argument(_IOC_SIZE(command));
			int error = file.ioctl_errno(command, argument.data());

			if (command == KDAPL_QUERY || command == KDAPL_ADAPTER)
				EXPECT_EQ(error, 0) << name(command);
			else if (command == KDAPL_IA_OPEN)
				EXPECT_EQ(error, ENODEV);
			else
				EXPECT_EQ(error, EBADFD) << name(command);
		}
		again = ia.opened();
		EXPECT_EQ(ia.file().call(KDAPL_IA_OPEN, again), EBADFD);
	});
}

/* ---- values ---- */

TEST(HostileCall, UnknownFlags)
{
	play_hostile([] {
		RawIa ia;
		RawFile file;
		std::uint32_t pz = ia.pz(), evd = ia.evd(64, 0x70);
		Pages pages(4096);
		kdapl_ia_open open = ia.opened();
		kdapl_evd_create evd_create{};
		kdapl_ep_create ep_create{};
		kdapl_psp_create psp_create{};
		kdapl_rsp_create rsp_create{};
		kdapl_lmr_create lmr_create{};
		kdapl_submit submit{};
		kdapl_destroy destroy{};
		kdapl_ep_disconnect disconnect{};
		kdapl_cno_fd cno_fd{};

		open.flags = KDAPL_IA_TELL_OP << 1;
		EXPECT_EQ(file.call(KDAPL_IA_OPEN, open), EINVAL);
		evd_create.qlen = 8;
		evd_create.flags = 0x60 | 0x200;
		EXPECT_EQ(ia.file().call(KDAPL_EVD_CREATE, evd_create), EINVAL);
		ep_create.pz = pz;
		ep_create.flags = 1;
		EXPECT_EQ(ia.file().call(KDAPL_EP_CREATE, ep_create), EINVAL);
		ep_create.flags = 0;
		ep_create.rdma_read_fixed = 2;
		EXPECT_EQ(ia.file().call(KDAPL_EP_CREATE, ep_create), EINVAL);
		psp_create.evd = evd;
		psp_create.flags = 4 | KDAPL_PSP_ANY;
		EXPECT_EQ(ia.file().call(KDAPL_PSP_CREATE, psp_create), EINVAL);
		rsp_create.evd = evd;
		rsp_create.conn_qual = 4711;
		rsp_create.flags = 1;
		EXPECT_EQ(ia.file().call(KDAPL_RSP_CREATE, rsp_create), EINVAL);
		rsp_create.flags = 0;
		rsp_create.pad = 1;
		EXPECT_EQ(ia.file().call(KDAPL_RSP_CREATE, rsp_create), EINVAL);
		lmr_create.pz = pz;
		lmr_create.addr = reinterpret_cast<std::uintptr_t>(pages.data());
		lmr_create.length = 4096;
		lmr_create.privileges = KDAPL_PRIV_ALL | 0x100;
		EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, lmr_create), EINVAL);
		lmr_create.privileges = KDAPL_PRIV_ALL | KDAPL_PRIV_REMOTE_ATOMIC << 1;
		EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, lmr_create), EINVAL);
		lmr_create.privileges = KDAPL_PRIV_ALL;
		lmr_create.mem_type = 1;
		EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, lmr_create), EINVAL);
		submit.flags = 2 | KDAPL_SUBMIT_POLL;
		submit.evd = evd;
		EXPECT_EQ(ia.file().call(KDAPL_SUBMIT, submit), EINVAL);
		submit.flags = 0;
		EXPECT_EQ(ia.file().call(KDAPL_SUBMIT, submit), EINVAL);
		submit.flags = KDAPL_SUBMIT_POLL;
		submit.pad = 1;
		EXPECT_EQ(ia.file().call(KDAPL_SUBMIT, submit), EINVAL);
		destroy.type = KDAPL_OBJ_RSP + 1;
		destroy.id = pz;
		EXPECT_EQ(ia.file().call(KDAPL_DESTROY, destroy), EINVAL);
		disconnect.ep = ia.ep_create(pz, evd).id;
		disconnect.close_flags = 2;
		EXPECT_EQ(ia.file().call(KDAPL_EP_DISCONNECT, disconnect), EINVAL);
		cno_fd.pad = 1;
		EXPECT_EQ(ia.file().call(KDAPL_CNO_FD, cno_fd), EINVAL);
	});
}

/** Every command that takes an id, given this one, says that there is no such object. */
void expect_unknown(RawIa &ia, std::uint32_t id)
{
	for (std::uint32_t type = KDAPL_OBJ_PZ; type <= KDAPL_OBJ_RSP; type++)
		EXPECT_EQ(ia.destroy(type, id), ENOENT) << type << " " << id;
	for (unsigned long command :
	     { KDAPL_EVD_WAIT,	    KDAPL_EVD_FILL,	KDAPL_EP_QUERY,	   KDAPL_EP_CONNECT,
	       KDAPL_EP_DISCONNECT, KDAPL_EP_RESET,	KDAPL_CR_QUERY,	   KDAPL_CR_ACCEPT,
	       KDAPL_CR_REJECT,	    KDAPL_EVD_WAITABLE, KDAPL_EVD_POST_SE, KDAPL_EVD_RESIZE,
	       KDAPL_EVD_NOTIFY,    KDAPL_CNO_WAIT,	KDAPL_CNO_MODIFY,  KDAPL_EP_SET_MARKS,
	       KDAPL_SRQ_RESIZE,    KDAPL_SRQ_SET_LOW,	KDAPL_RMR_CREATE,  KDAPL_RMR_BIND,
	       KDAPL_EP_MODIFY,	    KDAPL_CR_OFFER,	KDAPL_CNO_FD }) {
		/* In all of them the id follows the size. */
		Argument argument(_IOC_SIZE(command));
		std::memcpy(argument.bytes.data() + 4, &id, sizeof id);
		EXPECT_EQ(ia.file().ioctl_errno(command, argument.data()), ENOENT)
			<< name(command) << " id " << id;
	}
}

TEST(HostileCall, IdsOfNothing)
{
	play_hostile([] {
		RawIa ia;

		for (std::uint32_t id : { 0U, 1U, 77U, 0x7fffffffU, 0x80000000U, 0xffffffffU })
			expect_unknown(ia, id);
		std::uint32_t pz = ia.pz();
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_PZ, pz), 0);
		EXPECT_NE(ia.pz(), pz) << "an id was given out again at once";
		expect_unknown(ia, pz);
	});
}

TEST(HostileCall, IdsOfAnotherFileOrKind)
{
	play_hostile([] {
		RawIa ia, other;
		std::uint32_t foreign = 0;

		/* More than this file has, so that the number means nothing here. */
		for (int i = 0; i < 20; i++)
			foreign = other.pz();
		expect_unknown(ia, foreign);
		std::uint32_t pz = ia.pz(), evd = ia.evd();
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, pz), ENOENT);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_PZ, evd), ENOENT);
		kdapl_ep_create create{};
		create.pz = evd;
		EXPECT_EQ(ia.file().call(KDAPL_EP_CREATE, create), ENOENT);
		create.pz = foreign;
		EXPECT_EQ(ia.file().call(KDAPL_EP_CREATE, create), ENOENT);
	});
}

TEST(HostileCall, SizesOfObjects)
{
	play_hostile([] {
		RawIa ia;
		RawFile file;
		std::uint32_t pz = ia.pz(), evd = ia.evd();
		kdapl_query limits{};
		auto ep_error = [&](auto change) {
			kdapl_ep_create create{};
			create.pz = pz;
			create.recv_evd = create.request_evd = create.connect_evd = evd;
			create.max_recvs = create.max_requests = 4;
			create.max_recv_iov = create.max_request_iov = 1;
			change(create);
			return ia.file().call(KDAPL_EP_CREATE, create);
		};

		EXPECT_EQ(ep_error([](kdapl_ep_create &) {}), 0);
		for (std::uint32_t much : { 0x10000000U, 0x7fffffffU, 0xffffffffU }) {
			EXPECT_EQ(ep_error([&](kdapl_ep_create &c) { c.max_recvs = much; }),
				  ENOSPC);
			EXPECT_EQ(ep_error([&](kdapl_ep_create &c) { c.max_requests = much; }),
				  ENOSPC);
			EXPECT_EQ(ep_error([&](kdapl_ep_create &c) { c.max_recv_iov = much; }),
				  ENOSPC);
			EXPECT_EQ(ep_error([&](kdapl_ep_create &c) { c.max_request_iov = much; }),
				  ENOSPC);
			EXPECT_EQ(ep_error([&](kdapl_ep_create &c) { c.max_rdma_read_out = much; }),
				  ENOSPC);
			kdapl_evd_create evd_create{};
			evd_create.flags = 0x60;
			evd_create.qlen = much;
			EXPECT_EQ(ia.file().call(KDAPL_EVD_CREATE, evd_create), ENOSPC);
			kdapl_ia_open open = ia.opened();
			open.sq_entries = much;
			EXPECT_EQ(file.call(KDAPL_IA_OPEN, open), ENOSPC);
		}
		EXPECT_EQ(ep_error([](kdapl_ep_create &c) { c.recv_evd = 0; }), EINVAL);
		EXPECT_EQ(ep_error([](kdapl_ep_create &c) { c.max_requests = 0; }), EINVAL);
		ASSERT_EQ(ia.file().call(KDAPL_QUERY, limits), 0);
		EXPECT_EQ(limits.abi_version, static_cast<std::uint32_t>(KDAPL_ABI_VERSION));
	});
}

/* A program may take much memory, but not without end. */
TEST(HostileCall, RingsAreCapped)
{
	play_hostile([] {
		RawIa ia;
		std::uint64_t bytes = 0;
		int error = 0;

		for (int i = 0; i < 1000 && error == 0; i++) {
			kdapl_evd_create create{};
			create.flags = 0x60;
			create.qlen = 65536;
			error = ia.file().call(KDAPL_EVD_CREATE, create);
			bytes += create.ring.size;
		}
		EXPECT_TRUE(error == ENOSPC || error == ENOMEM) << error;
		EXPECT_LT(bytes, 1ULL << 30);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, 1), 0);
		ia.evd(65536);
	});
}

TEST(HostileCall, PrivateDataSizes)
{
	play_hostile([] {
		RawIa ia;
		std::uint32_t ep = ia.ep_create(ia.pz(), ia.evd()).id;
		kdapl_ia_query attributes = ia.query();
		kdapl_ep_connect connect{};

		connect.ep = ep;
		connect.remote = attributes.addrs[0];
		connect.conn_qual = 4711;
		connect.timeout_us = 1'000'000;
		for (std::uint32_t size : { attributes.max_private_data + 1, 257U, 0xffffffffU }) {
			connect.private_data_size = size;
			EXPECT_EQ(ia.file().call(KDAPL_EP_CONNECT, connect), EMSGSIZE);
		}
		connect.private_data_size = 0;
		connect.remote.family = 0xffff;
		EXPECT_NE(ia.file().call(KDAPL_EP_CONNECT, connect), 0);
	});
}

TEST(HostileCall, SocketAddresses)
{
	play_hostile([] {
		RawIa ia;
		const std::uint32_t evd = ia.evd(64, 0x70), no_requests = ia.evd(64, 0x60);
		const kdapl_addr own = ia.query().addrs[0];
		const std::uint32_t other_family = own.family == AF_INET ? AF_INET6 : AF_INET;
		std::uint16_t port = 0;
		auto error = [&](auto change) {
			kdapl_csp_create create{};
			create.evd = evd;
			create.domain = own.family;
			create.type = SOCK_STREAM;
			create.addr = own;
			change(create);
			const int result = ia.file().call(KDAPL_CSP_CREATE, create);
			port = create.addr.port;
			return result;
		};

		for (std::uint32_t domain : { 0U, 1U, other_family | 0x80000000U, ~0U })
			EXPECT_EQ(error([&](kdapl_csp_create &c) { c.domain = domain; }),
				  EPROTONOSUPPORT);
		for (std::uint32_t type : { 0U, std::uint32_t{ SOCK_DGRAM }, ~0U })
			EXPECT_EQ(error([&](kdapl_csp_create &c) { c.type = type; }),
				  EPROTONOSUPPORT);
		EXPECT_EQ(error([](kdapl_csp_create &c) { c.protocol = IPPROTO_UDP; }),
			  EPROTONOSUPPORT);
		EXPECT_EQ(error([&](kdapl_csp_create &c) { c.domain = other_family; }), EINVAL);
		EXPECT_EQ(error([](kdapl_csp_create &c) { c.addr.family = 0xffff; }), EINVAL);
		EXPECT_EQ(error([](kdapl_csp_create &c) { c.addr.addr[0] ^= 0x55; }),
			  EADDRNOTAVAIL);
		EXPECT_EQ(error([](kdapl_csp_create &c) { c.evd = 0; }), ENOENT);
		EXPECT_EQ(error([&](kdapl_csp_create &c) { c.evd = no_requests; }), EINVAL);
		ASSERT_EQ(error([](kdapl_csp_create &c) { c.protocol = IPPROTO_TCP; }), 0);
		ASSERT_NE(port, 0);
		const std::uint16_t taken = port;
		EXPECT_EQ(error([&](kdapl_csp_create &c) { c.addr.port = taken; }), EADDRINUSE);
	});
}

/** An event of an EVD with this CNO, which triggers it when it is posted. */
kdapl_evd_post_se trigger_of(RawIa &ia, std::uint32_t cno)
{
	kdapl_evd_notify notify{};
	kdapl_evd_post_se event{};

	notify.evd = ia.evd(8, DAT_EVD_SOFTWARE_FLAG);
	notify.cno = cno;
	notify.enabled = 1;
	require(ia.file().call(KDAPL_EVD_NOTIFY, notify) == 0, "the EVD takes no CNO");
	event.evd = notify.evd;
	return event;
}

/** A descriptor whose CNO is gone. */
void expect_over(int fd)
{
	pollfd look{ .fd = fd, .events = POLLIN, .revents = 0 };
	char byte = 0;

	EXPECT_EQ(poll(&look, 1, 0), 1);
	EXPECT_EQ(look.revents, POLLIN | POLLHUP);
	EXPECT_EQ(read(fd, &byte, 1), -1);
	EXPECT_EQ(write(fd, &byte, 1), -1);
	EXPECT_EQ(ioctl(fd, KDAPL_CNO_WAIT, &byte), -1);
}

/* As many as the process may have, and they outlive the CNO and the IA. */
TEST(HostileCall, DescriptorsOfACno)
{
	play_hostile([] {
		const rlimit few{ .rlim_cur = 64, .rlim_max = 64 };
		std::vector<int> fds;
		int error = 0;
		{
			RawIa ia;
			kdapl_cno_create cno{};
			kdapl_cno_fd made{};

			ASSERT_EQ(ia.file().call(KDAPL_CNO_CREATE, cno), 0);
			made.cno = cno.id;
			kdapl_evd_post_se event = trigger_of(ia, cno.id);
			sys(setrlimit(RLIMIT_NOFILE, &few));
			while ((error = ia.file().call(KDAPL_CNO_FD, made)) == 0)
				fds.push_back(made.fd);
			EXPECT_EQ(error, EMFILE);
			ASSERT_GE(fds.size(), 2U);
			close(fds.back());
			fds.pop_back();
			pollfd look{ .fd = fds.back(), .events = POLLIN, .revents = 0 };
			EXPECT_EQ(poll(&look, 1, 0), 0);
			EXPECT_EQ(ia.file().call(KDAPL_CNO_FD, made), 0);
			fds.push_back(made.fd);
			/* The IA ends while an event has triggered it. */
			EXPECT_EQ(ia.file().call(KDAPL_EVD_POST_SE, event), 0);
			EXPECT_EQ(poll(&look, 1, 0), 1);
			EXPECT_EQ(look.revents, POLLIN);
		}
		for (int fd : fds) {
			expect_over(fd);
			close(fd);
		}
	});
}

/* ---- noise ---- */

/** Fills an argument with words that are more likely to mean something than noise is. */
void fill_words(Argument &argument, std::uint32_t size, std::mt19937 &random)
{
	constexpr std::array<std::uint32_t, 12> words = { 0,	1,	    2,		3,
							  4,	8,	    16,		0x60,
							  4096, 0x7fffffff, 0x80000000, ~0U };

	for (std::uint32_t at = 4; at + 4 <= size; at += 4) {
		std::uint32_t word = random() % 4 == 0 ? random() : words[random() % words.size()];
		std::memcpy(argument.bytes.data() + at, &word, sizeof word);
	}
}

/** A wait may last as long as it is told: here, not at all. */
void tame(unsigned long command, Argument &argument)
{
	std::uint64_t now = deadline_after_ms(0);

	if (command == KDAPL_EVD_WAIT)
		std::memcpy(argument.bytes.data() + offsetof(kdapl_evd_wait, deadline_ns), &now,
			    sizeof now);
	if (command == KDAPL_CNO_WAIT)
		std::memcpy(argument.bytes.data() + offsetof(kdapl_cno_wait, deadline_ns), &now,
			    sizeof now);
}

TEST(HostileCall, Noise)
{
	play_hostile([] {
		std::mt19937 random(20251);

		for (int file = 0; file < 4; file++) {
			RawIa ia;
			std::uint32_t pz = ia.pz(), evd = ia.evd(16, 0x70);

			ia.ep_create(pz, evd);
			for (std::uint64_t i = 0; i < scaled(3000) + 200; i++) {
				unsigned long command = commands[random() % commands.size()];
				Argument argument(_IOC_SIZE(command));

				fill_words(argument, _IOC_SIZE(command), random);
				tame(command, argument);
				ia.file().ioctl_errno(command, argument.data());
			}
			kdapl_ia_query query = ia.query();
			EXPECT_STREQ(reinterpret_cast<char *>(query.name), adapter_name().c_str());
		}
	});
}

} // namespace
} // namespace suite
