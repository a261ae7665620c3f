// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ep_post_rdma_write(3DAT)

#include "posting.hpp"

#include <algorithm>

namespace suite {
namespace {

void with_write(void (*body)(PostScene &))
{
	with_post(Transfer::write, body);
}

/* "transfer of all the data specified by the local_iov ... in the I/O Vector order" */
TEST(DatEpPostRdmaWrite, DescriptionSegmentsAreTraversedInTheirOrder)
{
	with_write([](PostScene &s) {
		DAT_LMR_TRIPLET list[] = { s.region.local(3000, 10), s.region.local(0, 20),
					   s.region.local(1000, 30) };
		const unsigned char *from = s.region.data(), *to = s.far.data() + 100;

		fill(s.region.bytes(0, 4096), 1);
		std::fill_n(s.far.data(), 4096, 0xee);
		s.remote = s.far.remote(100, 60);
		s.call.iov = list;
		s.call.count = 3;
		ok(s.call());
		s.pair.active.expect_request(1, 60);
		s.pair.settle();
		EXPECT_TRUE(std::equal(to, to + 10, from + 3000));
		EXPECT_TRUE(std::equal(to + 10, to + 30, from));
		EXPECT_TRUE(std::equal(to + 30, to + 60, from + 1000));
		require_bytes(s.far.bytes(0, 100), 0xee);
		require_bytes(s.far.bytes(160, 100), 0xee);
	});
}

/* The remote buffer may be larger than the data. */
TEST(DatEpPostRdmaWrite, DescriptionALargerRemoteBufferIsFilledInPart)
{
	with_write([](PostScene &s) {
		std::fill_n(s.far.data(), 4096, 0xee);
		fill(s.region.bytes(0, 64), 2);
		s.remote = s.far.remote(0, 4096);
		ok(s.call());
		s.pair.active.expect_request(1, 64);
		s.pair.settle();
		require_pattern(s.far.bytes(0, 64), 2);
		require_bytes(s.far.bytes(64, 1000), 0xee);
	});
}

TEST(DatEpPostRdmaWrite, DescriptionTheListIsTheConsumersAgain)
{
	with_write([](PostScene &s) {
		fill(s.region.bytes(0, 64), 4);
		ok(s.call());
		s.segment = {};
		s.remote = {};
		s.pair.active.expect_request(1, 64);
		s.pair.settle();
		require_pattern(s.far.bytes(0, 64), 4);
	});
}

/* "based on the specified completion_flags value" */
TEST(DatEpPostRdmaWrite, DescriptionASuppressedCompletionIsNotReported)
{
	with_write([](PostScene &s) {
		s.call.flags = DAT_COMPLETION_SUPPRESS_FLAG;
		ok(s.call());
		s.call.flags = DAT_COMPLETION_BARRIER_FENCE_FLAG;
		s.call.cookie = 2;
		ok(s.call());
		s.pair.active.expect_request(2, 64);
		s.pair.active.request_queue().require_empty();
	});
}

TEST(DatEpPostRdmaWrite, DescriptionUnsignalledIsNotThisEndpoints)
{
	with_write(check_unsignalled);
}

/* No receive of the peer's ends with it: nothing can be solicited. */
TEST(DatEpPostRdmaWrite, DescriptionSolicitedWaitIsASends)
{
	with_write([](PostScene &s) {
		s.call.flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaWrite, DescriptionTheCookieIsReturned)
{
	with_write([](PostScene &s) { check_cookies(s, [] {}); });
}

TEST(DatEpPostRdmaWrite, DescriptionAllocatesNothing)
{
	check_allocates_nothing(Transfer::write);
}

TEST(DatEpPostRdmaWrite, DescriptionIsFlushedInDisconnected)
{
	with_write(check_flushed);
}

TEST(DatEpPostRdmaWrite, ReturnValuesInsufficientResources)
{
	check_full_request_queue(Transfer::write);
}

TEST(DatEpPostRdmaWrite, ReturnValuesInvalidParameterNumSegments)
{
	with_write(check_num_segments);
}

TEST(DatEpPostRdmaWrite, ReturnValuesInvalidParameterOutsideOfItsLmr)
{
	with_write(check_outside_of_lmr);
}

TEST(DatEpPostRdmaWrite, ReturnValuesInvalidParameterNoRemoteBuffer)
{
	with_write([](PostScene &s) {
		s.call.remote = nullptr;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaWrite, ReturnValuesInvalidHandle)
{
	with_write(check_invalid_handle);
}

TEST(DatEpPostRdmaWrite, ReturnValuesInvalidState)
{
	with_write(check_request_states);
}

/* "The size of the remote buffer is too small for the data of the local buffer." */
TEST(DatEpPostRdmaWrite, ReturnValuesLengthError)
{
	with_write([](PostScene &s) {
		for (std::size_t length : { 0, 1, 63 }) {
			s.remote = s.far.remote(0, length);
			refused(s.call(), DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
		}
		s.require_no_effect();
	});
}

TEST(DatEpPostRdmaWrite, ReturnValuesProtectionViolation)
{
	with_write(check_protection);
}

TEST(DatEpPostRdmaWrite, ReturnValuesPrivilegesViolation)
{
	with_write(check_privileges);
}

/** The peer refuses: what it refuses is not known here, so the completion tells. */
void require_remote_refusal(PostScene &s, Location where = Location::current())
{
	ok(s.call(), where);
	const DAT_DTO_COMPLETION_EVENT_DATA dto = s.completion(where);
	/* iWARP completes a write before the peer has seen it. */
	require(dto.status == DAT_DTO_ERR_REMOTE_ACCESS || s.adapter.iwarp(),
		"status " + std::to_string(dto.status), where);
	s.pair.active.expect_broken(s.adapter, where);
	s.pair.passive.expect_end(where);
}

/* "rmr_context does not have the remote write privileges" */
TEST(DatEpPostRdmaWrite, ReturnValuesRemoteWriteIsMissing)
{
	with_write([](PostScene &s) {
		Region readable(s.adapter, 4096,
				DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_REMOTE_READ_FLAG);

		std::fill_n(readable.data(), 64, 0xee);
		s.remote = readable.remote(0, 64);
		require_remote_refusal(s);
		require_bytes(readable.bytes(0, 64), 0xee);
	});
}

/* "mismatch between ... the rmr_context and the remote Endpoint" */
TEST(DatEpPostRdmaWrite, ReturnValuesRemoteZoneIsAnother)
{
	with_write([](PostScene &s) {
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(s.adapter.ia(), &pz));
		{
			Region foreign(s.adapter, 4096, all_privileges, pz);

			std::fill_n(foreign.data(), 64, 0xee);
			s.remote = foreign.remote(0, 64);
			require_remote_refusal(s);
			require_bytes(foreign.bytes(0, 64), 0xee);
		}
		ok(dat_pz_free(pz));
	});
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG": a completion that notifies nobody */
TEST(DatEpPostRdmaWrite, DescriptionAnUnsignalledCompletionEndsNoWait)
{
	check_quiet_transfer(Transfer::write);
}

} // namespace
} // namespace suite
