// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "lmr.hpp"

#include "debug.hpp"

#include <cerrno>
#include <cstring>

namespace kdapl {

namespace {

Status create_status(int err, const kdapl_lmr_create &arg) noexcept
{
	/* What is short is memory, not regions. */
	if (err == EDQUOT && arg.memlock_needed) {
		debug_error("dat_lmr_create: RLIMIT_MEMLOCK allows %llu bytes, %llu are needed",
			    static_cast<unsigned long long>(arg.memlock_limit),
			    static_cast<unsigned long long>(arg.memlock_needed));
		return fail(Type::insufficient_resources, Sub::resource_memory);
	}
	debug_error("dat_lmr_create: %llu bytes at 0x%llx: %s",
		    static_cast<unsigned long long>(arg.length),
		    static_cast<unsigned long long>(arg.addr), std::strerror(err));
	return from_errno(err, { .object = arg.source ? Sub::handle_lmr : Sub::handle_pz,
				 .limit = Sub::resource_memory_region });
}

} // namespace

Status Lmr::create(const Ref<Ia> &ia, const Pz &pz, const Create &args, Ref<Lmr> &lmr)
{
	Draft<Lmr> draft(ia->provider(), ia.share(), pz, args);
	kdapl_lmr_create arg{};

	arg.pz = pz.id();
	arg.mem_type = args.mem_type;
	arg.privileges = args.privileges;
	arg.addr = args.address;
	arg.length = args.length;
	arg.source = args.source;
	std::memcpy(arg.cookie, args.cookie.data(), sizeof arg.cookie);
	if (int err = ia->device().call(KDAPL_LMR_CREATE, arg))
		return create_status(err, arg);
	draft->id_ = arg.id;
	draft->rmr_context_ = arg.rkey;
	draft->attributes_.mem_type = arg.mem_type;
	draft->attributes_.address = arg.addr;
	draft->attributes_.length = arg.length;

	try {
		std::lock_guard lock(ia->sq().mutex());
		ia->lmrs().insert({ .context = arg.id,
				    .pz = arg.pz,
				    .address = arg.addr,
				    .length = arg.length,
				    .privileges = args.privileges });
	} catch (...) {
		ia->discard(KDAPL_OBJ_LMR, arg.id);
		throw;
	}
	lmr = ia->adopt(draft);
	return lmr ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Lmr::free() noexcept
{
	const Status status =
		ia().free(*this, { .object = Sub::handle_lmr, .busy = Sub::lmr_in_use });

	if (status.ok()) {
		std::lock_guard lock(ia().sq().mutex());
		ia().lmrs().erase(lmr_context());
	}
	return status;
}

Status Lmr::check_registered(Ia &ia, std::span<const Segment> segments) noexcept
{
	std::lock_guard lock(ia.sq().mutex());

	for (const Segment &segment : segments) {
		if (!segment.length)
			continue;
		const LmrEntry *lmr = ia.lmrs().find(segment.lmr);
		if (!lmr || !lmr->covers(segment.address, segment.length))
			return fail(Type::invalid_parameter, Sub::arg2);
	}
	return success;
}

} // namespace kdapl
