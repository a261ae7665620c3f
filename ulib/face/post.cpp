// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Transfers posted on an EP.

#include "face.hpp"

#include "engine/post.hpp"

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
	DAT_EP_HANDLE ep;
	DAT_COUNT num_segments;
	const DAT_LMR_TRIPLET *local_iov;
	DAT_DTO_COOKIE cookie;
	DAT_COMPLETION_FLAGS flags;
};

/** The peer's memory; nullptr of an operation that has none. */
using Remote = const DAT_RMR_TRIPLET *;

template <kdapl_op op>
Status post_on(Ep &ep, const Args &args, std::span<const kdapl::Segment> local,
	       Remote remote_buffer, auto hand_over) noexcept
{
	kdapl::RemoteSegment remote{};

	if constexpr (op == KDAPL_OP_RDMA_WRITE || op == KDAPL_OP_RDMA_READ)
		remote = { version::remote_address(*remote_buffer), remote_buffer->segment_length,
			   remote_buffer->rmr_context };
	return hand_over(ep, kdapl::Post{ .op = op,
					  .flags = bits(args.flags),
					  .cookie = args.cookie.as_64,
					  .local = local,
					  .remote = remote_buffer ? &remote : nullptr });
}

/** Any number of segments. By value: the arguments of the others stay in registers. */
template <kdapl_op op>
[[gnu::noinline]] Status post_many(Args args, Remote remote) noexcept
{
	const auto ep = kdapl::pin<Ep>(args.ep);
	Segments segments;

	if (!ep)
		return bad_handle(Sub::handle_ep);
	if (Status status = segments.fill(args.num_segments, args.local_iov); !status.ok())
		return status;
	return post_on<op>(*ep, args, segments.all(), remote,
			   [](Ep &to, const kdapl::Post &post) { return to.post(post); });
}

template <kdapl_op op, class Lock>
Status post_one(Ep &ep, const Args &args, Remote remote) noexcept
{
	const kdapl::Segment segment = segment_of(*args.local_iov);

	return post_on<op>(ep, args, { &segment, 1 }, remote, [](Ep &to, const kdapl::Post &post) {
		return to.post_here<Lock>(post);
	});
}

/** Most posts have one segment: these are one function, without a call. */
template <kdapl_op op>
Status post(const Args &args, Remote remote = nullptr) noexcept
{
	if (args.num_segments != 1 || !args.local_iov) [[unlikely]]
		return post_many<op>(args, remote);
	if (kdapl::alone()) {
		Ep *ep = kdapl::find_alone<Ep>(args.ep);

		return ep ? post_one<op, kdapl::Unlocked>(*ep, args, remote) :
			    bad_handle(Sub::handle_ep);
	}
	const auto ep = kdapl::pin<Ep>(args.ep);

	return ep ? post_one<op, std::lock_guard<kdapl::Mutex>>(*ep, args, remote) :
		    bad_handle(Sub::handle_ep);
}

template <kdapl_op op>
Status post_rdma(const Args &args, Remote remote) noexcept
{
	if (!remote)
		return kdapl::pin<Ep>(args.ep) ? bad_parameter(Sub::arg5) :
						 bad_handle(Sub::handle_ep);
	return post<op>(args, remote);
}

} // namespace

namespace face_own {

[[gnu::flatten]] DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					     DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					     DAT_COMPLETION_FLAGS completion_flags)
{
	return to_dat(post<KDAPL_OP_SEND>(
		{ ep_handle, num_segments, local_iov, user_cookie, completion_flags }));
}

[[gnu::flatten]] DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					     DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					     DAT_COMPLETION_FLAGS completion_flags)
{
	return to_dat(post<KDAPL_OP_RECV>(
		{ ep_handle, num_segments, local_iov, user_cookie, completion_flags }));
}

[[gnu::flatten]] DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
						  DAT_LMR_TRIPLET *local_iov,
						  DAT_DTO_COOKIE user_cookie,
						  const DAT_RMR_TRIPLET *remote_buffer,
						  DAT_COMPLETION_FLAGS completion_flags)
{
	return to_dat(post_rdma<KDAPL_OP_RDMA_READ>(
		{ ep_handle, num_segments, local_iov, user_cookie, completion_flags },
		remote_buffer));
}

[[gnu::flatten]] DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
						   DAT_LMR_TRIPLET *local_iov,
						   DAT_DTO_COOKIE user_cookie,
						   const DAT_RMR_TRIPLET *remote_buffer,
						   DAT_COMPLETION_FLAGS completion_flags)
{
	return to_dat(post_rdma<KDAPL_OP_RDMA_WRITE>(
		{ ep_handle, num_segments, local_iov, user_cookie, completion_flags },
		remote_buffer));
}

} // namespace face_own
