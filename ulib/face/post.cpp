// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Transfers posted on an EP.

#include "face.hpp"

#include "engine/ep.hpp"

#include "segments.hpp"

using namespace face;
using kdapl::Ep;

static_assert(bits(kdapl::completion_suppress) == bits(DAT_COMPLETION_SUPPRESS_FLAG));
static_assert(bits(kdapl::completion_solicited) == bits(DAT_COMPLETION_SOLICITED_WAIT_FLAG));
static_assert(bits(kdapl::completion_unsignalled) == bits(DAT_COMPLETION_UNSIGNALLED_FLAG));
static_assert(bits(kdapl::completion_fence) == bits(DAT_COMPLETION_BARRIER_FENCE_FLAG));
static_assert(bits(kdapl::completion_threshold) == bits(DAT_COMPLETION_EVD_THRESHOLD_FLAG));

namespace {

struct Args {
	kdapl_op op;
	DAT_EP_HANDLE ep;
	DAT_COUNT num_segments;
	const DAT_LMR_TRIPLET *local_iov;
	DAT_DTO_COOKIE cookie;
	DAT_COMPLETION_FLAGS flags;
};

Status post_on(Ep &ep, const Args &args, const kdapl::RemoteSegment *remote) noexcept
{
	Segments segments;

	if (Status status = segments.fill(args.num_segments, args.local_iov); !status.ok())
		return status;
	return ep.post({ .op = args.op,
			 .flags = bits(args.flags),
			 .cookie = args.cookie.as_64,
			 .local = segments.all(),
			 .remote = remote });
}

[[gnu::flatten]] DAT_RETURN post(const Args &args) noexcept
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(args.ep);

		return ep ? post_on(*ep, args, nullptr) : bad_handle(Sub::handle_ep);
	});
}

[[gnu::flatten]] DAT_RETURN post_rdma(const Args &args,
				      const DAT_RMR_TRIPLET *remote_buffer) noexcept
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(args.ep);

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (!remote_buffer)
			return bad_parameter(Sub::arg5);
		const kdapl::RemoteSegment remote = { version::remote_address(*remote_buffer),
						      remote_buffer->segment_length,
						      remote_buffer->rmr_context };
		return post_on(*ep, args, &remote);
	});
}

} // namespace

namespace face_own {

DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
			    DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
			    DAT_COMPLETION_FLAGS completion_flags)
{
	return post({ KDAPL_OP_SEND, ep_handle, num_segments, local_iov, user_cookie,
		      completion_flags });
}

DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
			    DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
			    DAT_COMPLETION_FLAGS completion_flags)
{
	return post({ KDAPL_OP_RECV, ep_handle, num_segments, local_iov, user_cookie,
		      completion_flags });
}

DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
				 DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
				 const DAT_RMR_TRIPLET *remote_buffer,
				 DAT_COMPLETION_FLAGS completion_flags)
{
	return post_rdma({ KDAPL_OP_RDMA_READ, ep_handle, num_segments, local_iov, user_cookie,
			   completion_flags },
			 remote_buffer);
}

DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
				  DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
				  const DAT_RMR_TRIPLET *remote_buffer,
				  DAT_COMPLETION_FLAGS completion_flags)
{
	return post_rdma({ KDAPL_OP_RDMA_WRITE, ep_handle, num_segments, local_iov, user_cookie,
			   completion_flags },
			 remote_buffer);
}

} // namespace face_own
