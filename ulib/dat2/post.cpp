// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: transfers that only 2.0 has.

#include "table.hpp"

#include "engine/ep.hpp"

#include "extensions.hpp"
#include "face/segments.hpp"

using namespace face;
using kdapl::Ep;

namespace face_own {

DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					    DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					    DAT_COMPLETION_FLAGS completion_flags,
					    DAT_BOOLEAN invalidate, DAT_RMR_CONTEXT rmr_context)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		Segments segments;

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (Status status = segments.fill(num_segments, local_iov); !status.ok())
			return status;
		return ep->post({ .op = invalidate ? KDAPL_OP_SEND_INV : KDAPL_OP_SEND,
				  .flags = bits(completion_flags),
				  .cookie = user_cookie.as_64,
				  .local = segments.all(),
				  .remote = nullptr,
				  .invalidates = invalidate ? rmr_context : 0 });
	});
}

DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep_handle, const DAT_RMR_TRIPLET *local,
					DAT_DTO_COOKIE user_cookie, const DAT_RMR_TRIPLET *remote,
					DAT_COMPLETION_FLAGS completion_flags)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (!local)
			return bad_parameter(Sub::arg2);
		if (!remote)
			return bad_parameter(Sub::arg4);
		const kdapl::Segment window = { local->virtual_address, local->segment_length,
						local->rmr_context };
		const kdapl::RemoteSegment from = remote_segment(*remote);
		return ep->post({ .op = KDAPL_OP_READ_RMR,
				  .flags = bits(completion_flags),
				  .cookie = user_cookie.as_64,
				  .local = { &window, 1 },
				  .remote = &from });
	});
}

} // namespace face_own
