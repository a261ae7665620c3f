// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RMRs, bound to pieces of an LMR. */
#pragma once

#include "endpoint.hpp"

#include <gtest/gtest.h>

#include <string>

namespace suite {

/* The privileges of a window that a peer reads and writes. */
constexpr DAT_MEM_PRIV_FLAGS both = DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG;

inline DAT_RMR_COOKIE cookie_of(DAT_UINT64 number)
{
	DAT_RMR_COOKIE cookie;

	cookie.as_64 = number;
	return cookie;
}

/** An RMR of the adapter's PZ. */
class Window {
public:
	explicit Window(const Adapter &adapter, DAT_PZ_HANDLE pz = DAT_HANDLE_NULL)
	{
		ok(dat_rmr_create(pz ? pz : adapter.pz(), &rmr_));
	}
	Window(const Window &) = delete;
	Window &operator=(const Window &) = delete;
	~Window()
	{
		if (rmr_) {
			EXPECT_EQ(dat_rmr_free(rmr_), DAT_SUCCESS);
		}
	}

	DAT_RMR_HANDLE rmr() const noexcept { return rmr_; }

	void free(Location where = Location::current())
	{
		ok(dat_rmr_free(rmr_), where);
		rmr_ = DAT_HANDLE_NULL;
	}

	/** The call's own result; the triplet is what the peer needs. */
	DAT_RETURN post(Endpoint &endpoint, const DAT_LMR_TRIPLET &what, DAT_UINT64 cookie,
			DAT_RMR_TRIPLET *remote, DAT_MEM_PRIV_FLAGS privileges = both,
			DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG)
	{
		DAT_RMR_CONTEXT context = 0;
		DAT_RETURN result = dat_rmr_bind(rmr_, &what, privileges, endpoint.ep(),
						 cookie_of(cookie), flags, &context);

		if (remote)
			*remote = { context, 0, what.virtual_address, what.segment_length };
		return result;
	}

	/** Binds and waits for the completion. */
	DAT_RMR_TRIPLET bind(Endpoint &endpoint, const DAT_LMR_TRIPLET &what,
			     DAT_MEM_PRIV_FLAGS privileges = both,
			     Location where = Location::current())
	{
		DAT_RMR_TRIPLET remote;

		ok(post(endpoint, what, ++cookies_, &remote, privileges), where);
		expect_bound(endpoint, cookies_, DAT_RMR_BIND_SUCCESS, where);
		return remote;
	}

	void unbind(Endpoint &endpoint, Location where = Location::current())
	{
		bind(endpoint, DAT_LMR_TRIPLET{}, DAT_MEM_PRIV_NONE_FLAG, where);
	}

	/** The next completion of requests is that of a bind of this RMR. */
	void expect_bound(Endpoint &endpoint, DAT_UINT64 cookie,
			  DAT_RMR_BIND_COMPLETION_STATUS status,
			  Location where = Location::current())
	{
		DAT_EVENT event =
			endpoint.request_queue().expect(DAT_RMR_BIND_COMPLETION_EVENT, where);
		const auto &bound = event.event_data.rmr_completion_event_data;

		require(bound.rmr_handle == rmr_, "another RMR was bound", where);
		require(bound.user_cookie.as_64 == cookie, "another bind completes", where);
		require(bound.status == status,
			"the status is " + std::to_string(static_cast<int>(bound.status)), where);
	}

private:
	DAT_RMR_HANDLE rmr_ = DAT_HANDLE_NULL;
	DAT_UINT64 cookies_ = 1000;
};

} // namespace suite
