// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_post_rdma_read(3DAT)

#include "posting.hpp"

#include <algorithm>

namespace suite {
namespace {

void with_read(void (*body)(PostScene &))
{
	with_post(Transfer::read, body);
}

/* "front segments ... completely filled, only one segment is partially filled" */
TEST(DatEpPostRdmaRead, DescriptionSegmentsAreFilledInTheirOrder)
{
	with_read([](PostScene &s) {
		std::vector<DAT_LMR_TRIPLET> list = { s.region.local(300, 20),
						      s.region.local(0, 30) };
		const unsigned char *data = s.region.data();

		/* An adapter may allow a read one segment only. */
		if (s.adapter.attributes().max_iov_segments_per_rdma_read < 2)
			list.pop_back();
		const std::size_t length = list.size() == 2 ? 35 : 15;
		std::fill_n(s.region.data(), 4096, 0xee);
		fill(s.far.bytes(0, 64), 3);
		s.remote = s.far.remote(0, length);
		s.call.iov = list.data();
		s.call.count = static_cast<DAT_COUNT>(list.size());
		ok(s.call());
		s.pair.active.expect_request(1, length);
		EXPECT_TRUE(std::equal(data + 300, data + 300 + std::min<std::size_t>(length, 20),
				       s.far.data()));
		if (list.size() == 2) {
			EXPECT_TRUE(std::equal(data, data + 15, s.far.data() + 20));
			require_bytes(s.region.bytes(15, 100), 0xee);
		}
	});
}

/* "transfer of all the data specified by the remote_buffer", and no more */
TEST(DatEpPostRdmaRead, DescriptionALargerLocalBufferIsFilledInPart)
{
	with_read([](PostScene &s) {
		std::fill_n(s.region.data(), 4096, 0xee);
		fill(s.far.bytes(0, 64), 3);
		s.segment = s.region.local(0, 4096);
		ok(s.call());
		s.pair.active.expect_request(1, 64);
		require_pattern(s.region.bytes(0, 64), 3);
		require_bytes(s.region.bytes(64, 1000), 0xee);
	});
}

TEST(DatEpPostRdmaRead, DescriptionTheListIsTheConsumersAgain)
{
	with_read([](PostScene &s) {
		fill(s.far.bytes(0, 64), 4);
		ok(s.call());
		s.segment = {};
		s.remote = {};
		s.pair.active.expect_request(1, 64);
		require_pattern(s.region.bytes(0, 64), 4);
	});
}

/* "based on the specified completion_flags value" */
TEST(DatEpPostRdmaRead, DescriptionASuppressedCompletionIsNotReported)
{
	with_read([](PostScene &s) {
		s.call.flags = DAT_COMPLETION_SUPPRESS_FLAG;
		ok(s.call());
		s.call.flags = DAT_COMPLETION_BARRIER_FENCE_FLAG;
		s.call.cookie = 2;
		ok(s.call());
		s.pair.active.expect_request(2, 64);
		s.pair.active.request_queue().require_empty();
	});
}

TEST(DatEpPostRdmaRead, DescriptionUnsignalledIsNotThisEndpoints)
{
	with_read(check_unsignalled);
}

TEST(DatEpPostRdmaRead, DescriptionSolicitedWaitIsASends)
{
	with_read([](PostScene &s) {
		s.call.flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaRead, DescriptionTheCookieIsReturned)
{
	with_read([](PostScene &s) { check_cookies(s, [] {}); });
}

TEST(DatEpPostRdmaRead, DescriptionAllocatesNothing)
{
	check_allocates_nothing(Transfer::read);
}

TEST(DatEpPostRdmaRead, DescriptionIsFlushedInDisconnected)
{
	with_read(check_flushed);
}

TEST(DatEpPostRdmaRead, ReturnValuesInsufficientResources)
{
	check_full_request_queue(Transfer::read);
}

TEST(DatEpPostRdmaRead, ReturnValuesInvalidParameterNumSegments)
{
	with_read(check_num_segments);
}

/* One segment: a read may have no more on some adapters. */
TEST(DatEpPostRdmaRead, ReturnValuesInvalidParameterOutsideOfItsLmr)
{
	with_read([](PostScene &s) {
		const DAT_VADDR start = s.segment.virtual_address;

		for (DAT_VADDR address :
		     { start - 1, start + s.region.size() - 63, start + s.region.size() }) {
			s.segment.virtual_address = address;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		}
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaRead, ReturnValuesInvalidParameterNoRemoteBuffer)
{
	with_read([](PostScene &s) {
		s.call.remote = nullptr;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaRead, ReturnValuesInvalidHandle)
{
	with_read(check_invalid_handle);
}

TEST(DatEpPostRdmaRead, ReturnValuesInvalidState)
{
	with_read(check_request_states);
}

/* "The size of the local buffer is too small for the data of the remote buffer." */
TEST(DatEpPostRdmaRead, ReturnValuesLengthError)
{
	with_read([](PostScene &s) {
		for (std::size_t length : { 65, 4096 }) {
			s.remote = s.far.remote(0, length);
			refused(s.call(), DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
		}
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaRead, ReturnValuesProtectionViolation)
{
	with_read(check_protection);
}

TEST(DatEpPostRdmaRead, ReturnValuesPrivilegesViolation)
{
	with_read(check_privileges);
}

/** The peer refuses: what it refuses is not known here, so the completion tells. */
void require_remote_refusal(PostScene &s, Location where = Location::current())
{
	std::fill_n(s.region.data(), 64, 0xee);
	ok(s.call(), where);
	const DAT_DTO_COMPLETION_EVENT_DATA dto = s.completion(where);
	require(dto.status == DAT_DTO_ERR_REMOTE_ACCESS ||
			(s.adapter.iwarp() && dto.status != DAT_DTO_SUCCESS),
		"status " + std::to_string(dto.status), where);
	s.pair.active.expect_broken(s.adapter, where);
	s.pair.passive.expect_end(where);
	require_bytes(s.region.bytes(0, 64), 0xee, where);
}

/* "rmr_context does not have the remote read privileges" */
TEST(DatEpPostRdmaRead, ReturnValuesRemoteReadIsMissing)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw answers a read without asking for the privilege";
	with_read([](PostScene &s) {
		Region writable(s.adapter, 4096,
				DAT_MEM_PRIV_LOCAL_WRITE_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG);

		s.remote = writable.remote(0, 64);
		require_remote_refusal(s);
	});
}

/* "mismatch between ... the rmr_context and the remote Endpoint" */
TEST(DatEpPostRdmaRead, ReturnValuesRemoteZoneIsAnother)
{
	with_read([](PostScene &s) {
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(s.adapter.ia(), &pz));
		{
			Region foreign(s.adapter, 4096, all_privileges, pz);

			s.remote = foreign.remote(0, 64);
			require_remote_refusal(s);
		}
		ok(dat_pz_free(pz));
	});
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG": a completion that notifies nobody */
TEST(DatEpPostRdmaRead, DescriptionAnUnsignalledCompletionEndsNoWait)
{
	check_quiet_transfer(Transfer::read);
}

} // namespace
} // namespace suite
