// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// LMR.

#include "own.hpp"

#include "engine/lmr.hpp"

using namespace face;
using kdapl::Ia;
using kdapl::Lmr;
using kdapl::Pz;

static_assert(DAT_MEM_PRIV_LOCAL_READ_FLAG == KDAPL_PRIV_LOCAL_READ);
static_assert(DAT_MEM_PRIV_REMOTE_READ_FLAG == KDAPL_PRIV_REMOTE_READ);
static_assert(DAT_MEM_PRIV_LOCAL_WRITE_FLAG == KDAPL_PRIV_LOCAL_WRITE);
static_assert(DAT_MEM_PRIV_REMOTE_WRITE_FLAG == KDAPL_PRIV_REMOTE_WRITE);
static_assert(DAT_MEM_TYPE_VIRTUAL == KDAPL_MEM_VIRTUAL);
static_assert(DAT_MEM_TYPE_LMR == KDAPL_MEM_LMR);
static_assert(DAT_MEM_TYPE_SHARED_VIRTUAL == KDAPL_MEM_SHARED);
static_assert(DAT_LMR_COOKIE_SIZE == KDAPL_COOKIE_SIZE);
static_assert(version::last_mem_type <= KDAPL_MEM_SO_VIRTUAL);

namespace {

/** A range of the program's memory. */
Status check_range(DAT_PVOID start, DAT_VLEN length) noexcept
{
	if (!length && (start || !version::length_needs_start))
		return version::no_length;
	if (!start)
		return bad_parameter(Sub::arg3);
	if (reinterpret_cast<std::uintptr_t>(start) > ~length)
		return bad_parameter(Sub::arg4);
	return success;
}

/** The memory that is meant, as the engine wants it. */
Status describe(const Ia &ia, DAT_MEM_TYPE type, const DAT_REGION_DESCRIPTION &region,
		DAT_VLEN length, Lmr::Create &args) noexcept
{
	DAT_PVOID start = nullptr;

	if (bits(type) > bits(version::last_mem_type))
		return bad_parameter(Sub::arg2);
	switch (bits(type)) {
	case KDAPL_MEM_LMR: {
		const auto source = kdapl::pin<Lmr>(region.for_lmr_handle);
		if (!source || &source->ia() != &ia)
			return bad_handle(Sub::handle_lmr);
		args.source_handle = source->handle();
		args.source = source->id();
		return success;
	}
	case KDAPL_MEM_SHARED:
		start = region.for_shared_memory.virtual_address;
		if (!region.for_shared_memory.shared_memory_id)
			return bad_parameter(Sub::arg3);
		std::ranges::copy(*region.for_shared_memory.shared_memory_id, args.cookie.begin());
		break;
	default:
		start = region.for_va;
	}
	args.address = reinterpret_cast<std::uintptr_t>(start);
	args.length = length;
	return check_range(start, length);
}

/** The opposite of describe(). */
DAT_REGION_DESCRIPTION region_of(Lmr &lmr) noexcept
{
	const Lmr::Create &attributes = lmr.attributes();
	DAT_REGION_DESCRIPTION region{};

	if (attributes.mem_type == KDAPL_MEM_LMR) {
		region.for_lmr_handle = to_dat(attributes.source_handle);
		return region;
	}
	region.for_va = reinterpret_cast<DAT_PVOID>(attributes.address);
	if (attributes.mem_type == KDAPL_MEM_SHARED)
		region.for_shared_memory = {
			.virtual_address = reinterpret_cast<DAT_PVOID>(attributes.address),
			.shared_memory_id = reinterpret_cast<DAT_LMR_COOKIE>(lmr.cookie().data()),
		};
	return region;
}

/**
 * Those that are asked for, without those that mean nothing. Programs of the extensions
 * ask for that of atomic operations wherever there are extensions.
 */
std::uint32_t privileges_of(const Ia &ia, DAT_MEM_PRIV_FLAGS asked) noexcept
{
	std::uint32_t idle = bits(version::idle_privileges);

	if ((ia.attributes().flags & (KDAPL_IA_IMM | KDAPL_IA_ATOMIC)) == KDAPL_IA_IMM)
		idle |= bits(version::atomic_privilege);
	return bits(asked) & ~idle;
}

/** Those that memory can have. */
std::uint32_t all_privileges(const Ia &ia) noexcept
{
	const bool atomic = ia.attributes().flags & KDAPL_IA_ATOMIC;

	return KDAPL_PRIV_ALL | (atomic ? bits(version::atomic_privilege) : 0);
}

template <class T>
void store(T *where, T value) noexcept
{
	if (where)
		*where = value;
}

} // namespace

namespace face_own {

Status lmr_create(const LmrCreate &asked)
{
	const auto ia = kdapl::pin<Ia>(asked.ia);
	const auto pz = kdapl::pin<Pz>(asked.pz);

	if (!ia)
		return bad_handle(Sub::handle_ia);
	if (!pz || &pz->ia() != ia.get())
		return bad_handle(Sub::handle_pz);
	if (!asked.lmr)
		return bad_parameter(Sub::arg7);
	const std::uint32_t privileges = privileges_of(*ia, asked.privileges);
	if (privileges & ~all_privileges(*ia))
		return bad_parameter(Sub::arg6);

	Ref<Lmr> lmr;
	Lmr::Create args = { .mem_type = bits(asked.mem_type),
			     .privileges = privileges | bits(version::implied_privileges) };
	if (Status status = describe(*ia, asked.mem_type, asked.region, asked.length, args);
	    !status.ok())
		return status;
	if (Status status = Lmr::create(ia, *pz, args, lmr); !status.ok())
		return status;
	*asked.lmr = to_dat(lmr->handle());
	store(asked.lmr_context, lmr->lmr_context());
	store(asked.rmr_context, lmr->rmr_context());
	store(asked.registered_size, lmr->attributes().length);
	store(asked.registered_address, lmr->attributes().address);
	return success;
}

DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr_handle, DAT_LMR_PARAM_MASK lmr_param_mask,
			 DAT_LMR_PARAM *lmr_param)
{
	return call([&] {
		const auto lmr = kdapl::pin<Lmr>(lmr_handle);

		if (!lmr)
			return bad_handle(Sub::handle_lmr);
		if (Status status = check_query(lmr_param_mask, DAT_LMR_FIELD_ALL, lmr_param);
		    !status.ok())
			return status;

		const Lmr::Create &attributes = lmr->attributes();
		*lmr_param = {};
		lmr_param->ia_handle = version::shown_ia(lmr->ia().handle());
		lmr_param->mem_type = version::told_mem_type(attributes.mem_type);
		lmr_param->region_desc = region_of(*lmr);
		lmr_param->length = attributes.length;
		lmr_param->pz_handle = to_dat(lmr->pz());
		lmr_param->mem_priv = static_cast<DAT_MEM_PRIV_FLAGS>(attributes.privileges);
		lmr_param->lmr_context = lmr->lmr_context();
		lmr_param->rmr_context = lmr->rmr_context();
		lmr_param->registered_size = attributes.length;
		lmr_param->registered_address = attributes.address;
		return success;
	});
}

DAT_RETURN dat_lmr_free(DAT_LMR_HANDLE lmr_handle)
{
	return call([&] {
		const auto lmr = kdapl::pin<Lmr>(lmr_handle);

		return lmr ? lmr->free() : bad_handle(Sub::handle_lmr);
	});
}

namespace {

/**
 * Registered memory is coherent with the devices of Linux: the arguments are
 * checked, and there is nothing to do (the attribute lmr_sync_req says so).
 */
DAT_RETURN sync(DAT_IA_HANDLE ia_handle, const DAT_LMR_TRIPLET *segments, DAT_VLEN count) noexcept
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (count && !segments)
			return bad_parameter(Sub::arg2);
		for (DAT_VLEN i = 0; i < count; i++) {
			const kdapl::Segment segment = { segments[i].virtual_address,
							 segments[i].segment_length,
							 segments[i].lmr_context };
			if (Status status = Lmr::check_registered(*ia, { &segment, 1 });
			    !status.ok())
				return status;
		}
		return success;
	});
}

} // namespace

DAT_RETURN dat_lmr_sync_rdma_read(DAT_IA_HANDLE ia_handle, const DAT_LMR_TRIPLET *local_segments,
				  DAT_VLEN num_segments)
{
	return sync(ia_handle, local_segments, num_segments);
}

DAT_RETURN dat_lmr_sync_rdma_write(DAT_IA_HANDLE ia_handle, const DAT_LMR_TRIPLET *local_segments,
				   DAT_VLEN num_segments)
{
	return sync(ia_handle, local_segments, num_segments);
}

} // namespace face_own
