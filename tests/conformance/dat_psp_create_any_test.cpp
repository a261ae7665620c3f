// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_psp_create_any(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace suite {
namespace {

/* "allocates an unused Connection Qualifier": an OUT parameter, whatever the synopsis says */
TEST(DatPspCreateAny, DescriptionTheQualifierIsUnused)
{
	play([](Line &) {
		Adapter adapter;
		std::set<DAT_CONN_QUAL> seen;
		Listener listeners[] = { Listener(adapter), Listener(adapter), Listener(adapter),
					 Listener(adapter) };

		for (const Listener &listener : listeners)
			EXPECT_TRUE(seen.insert(listener.qual()).second);
	});
}

/* "should be chosen from nonprivileged ports" */
TEST(DatPspCreateAny, DescriptionTheQualifierIsNotPrivileged)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);

		EXPECT_GE(listener.qual(), 1024U);
	});
}

/* "not currently used or reserved by any user": other programs' neither */
TEST(DatPspCreateAny, DescriptionTheQualifierIsNotAnotherPrograms)
{
	const auto program = [](Line &line) {
		Adapter adapter;
		Listener listener(adapter);

		line.send(listener.qual());
		EXPECT_NE(line.receive<DAT_CONN_QUAL>(), listener.qual());
		line.meet();
	};

	play(program, program);
}

/* "creates a Public Service point for it": requests to the qualifier come */
TEST(DatPspCreateAny, DescriptionListensAtTheQualifier)
{
	play([](Line &) {
		Adapter adapter;
		Listener listener(adapter);
		Endpoint active(adapter), passive(adapter);

		for (int i = 0; i < 2; i++) {
			ok(active.connect(adapter.address(), listener.qual()));
			DAT_EVENT event = listener.queue().expect(DAT_CONNECTION_REQUEST_EVENT);
			const auto &data = event.event_data.cr_arrival_event_data;
			EXPECT_EQ(data.sp_handle.psp_handle, listener.psp());
			EXPECT_EQ(data.conn_qual, listener.qual());
			ok(dat_cr_reject(data.cr_handle));
			active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
			ok(dat_ep_reset(active.ep()));
		}
	});
}

/* "request that the Provider create an implicit Endpoint" */
TEST(DatPspCreateAny, DescriptionProviderFlag)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;
		DAT_EP_PARAM param;

		DAT_CR_HANDLE cr = maker.request(ep);
		ok(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
		EXPECT_EQ(param.pz_handle, DAT_HANDLE_NULL);
		EXPECT_EQ(param.connect_evd_handle, DAT_HANDLE_NULL);
		ok(dat_cr_reject(cr));
	});
}

/** The kernel picks ports from two only, until this goes. */
class FewPorts {
public:
	FewPorts()
	{
		std::getline(std::ifstream(file), before_);
		require(!before_.empty(), "the range of ports cannot be read");
		set("61000 61001");
	}
	FewPorts(const FewPorts &) = delete;
	FewPorts &operator=(const FewPorts &) = delete;
	~FewPorts() { std::ofstream(file) << before_; }

private:
	static constexpr const char *file = "/proc/sys/net/ipv4/ip_local_port_range";

	static void set(const char *range)
	{
		std::ofstream stream(file);

		stream << range << std::flush;
		require(stream.good(), "the range of ports cannot be set");
	}

	std::string before_;
};

/* "No Connection Qualifiers available." */
TEST(DatPspCreateAny, ReturnValuesConnQualUnavailable)
{
	FewPorts ports;

	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		Listener first(adapter), second(adapter);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;
		const auto create = [&] {
			return dat_psp_create_any(adapter.ia(), &qual, queue.evd(),
						  DAT_PSP_CONSUMER_FLAG, &psp);
		};

		refused(create(), DAT_CONN_QUAL_UNAVAILABLE, DAT_NO_SUBTYPE);
		first.free();
		ok(create());
		EXPECT_EQ(qual, first.qual());
		ok(dat_psp_free(psp));
	});
}

/* "The ia_handle or evd_handle parameter is invalid." */
TEST(DatPspCreateAny, ReturnValuesInvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		EventQueue no_requests(adapter, 4, DAT_EVD_DTO_FLAG);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;

		refused(dat_psp_create_any(queue.evd(), &qual, queue.evd(), DAT_PSP_CONSUMER_FLAG,
					   &psp),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		for (DAT_EVD_HANDLE evd : { DAT_EVD_HANDLE(DAT_HANDLE_NULL), no_requests.evd() })
			refused(dat_psp_create_any(adapter.ia(), &qual, evd, DAT_PSP_CONSUMER_FLAG,
						   &psp),
				DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	});
}

/* "The conn_qual or psp_flags parameter is invalid." */
TEST(DatPspCreateAny, ReturnValuesInvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;

		refused(dat_psp_create_any(adapter.ia(), nullptr, queue.evd(),
					   DAT_PSP_CONSUMER_FLAG, &psp),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_psp_create_any(adapter.ia(), &qual, queue.evd(),
					   static_cast<DAT_PSP_FLAGS>(2), &psp),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		refused(dat_psp_create_any(adapter.ia(), &qual, queue.evd(), DAT_PSP_CONSUMER_FLAG,
					   nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	});
}

/* "failed due to resource limitations" */
TEST(DatPspCreateAny, ReturnValuesInsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, 4, DAT_EVD_CR_FLAG);
		DAT_CONN_QUAL qual;
		DAT_PSP_HANDLE psp;

		check_without_heap([&] {
			return dat_psp_create_any(adapter.ia(), &qual, queue.evd(),
						  DAT_PSP_CONSUMER_FLAG, &psp);
		});
		ok(dat_psp_free(psp));
	});
}

} // namespace
} // namespace suite
