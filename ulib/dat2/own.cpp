// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Own objects: calls that only 2.0 has, or whose arguments in it are not those of other
// versions.

#include "table.hpp"

#include "engine/address.hpp"
#include "engine/lmr.hpp"
#include "engine/rmr.hpp"

using namespace face;
using kdapl::Ep;
using kdapl::Ia;
using kdapl::Lmr;
using kdapl::Pz;
using kdapl::Rmr;

namespace {

/** A wrong argument by its place in 2.0's call. */
Status moved(Status status, Sub from, Sub to) noexcept
{
	if (status == bad_parameter(from))
		status.sub = to;
	return status;
}

/** What dat_rmr_bind() says of its arguments, counted without the LMR and the address. */
Status count_bind(Status status) noexcept
{
	/* From the last on, so that none moves twice. */
	status = moved(status, Sub::arg7, Sub::arg9);
	status = moved(status, Sub::arg6, Sub::arg8);
	status = moved(status, Sub::arg3, Sub::arg4);
	return moved(status, Sub::arg2, Sub::arg3);
}

/** The LMR is named twice; where a window is unbound neither counts. */
Status check_lmr(DAT_RMR_HANDLE rmr_handle, DAT_LMR_HANDLE lmr_handle,
		 const DAT_LMR_TRIPLET *triplet) noexcept
{
	const auto rmr = kdapl::pin<Rmr>(rmr_handle);
	const auto lmr = kdapl::pin<Lmr>(lmr_handle);

	if (!rmr)
		return bad_handle(Sub::handle_rmr);
	if (!triplet)
		return bad_parameter(Sub::arg3);
	if (!triplet->segment_length)
		return success;
	if (!lmr || &lmr->ia() != &rmr->ia())
		return bad_handle(Sub::handle_lmr);
	return triplet->lmr_context == lmr->lmr_context() ? success : bad_parameter(Sub::arg3);
}

Status check_port(const DAT_SOCK_ADDR *address, std::uint16_t &port) noexcept
{
	if (address->sa_family != AF_INET && address->sa_family != AF_INET6)
		return fail(Type::invalid_address, Sub::address_unsupported);
	port = kdapl::port_of(address);
	return port ? success : fail(Type::invalid_address, Sub::address_malformed);
}

} // namespace

namespace face_own {

template <bool thread_safe>
DAT_RETURN ia_open(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
		   DAT_IA_HANDLE *ia_handle)
{
	return ia_open_name(ia_name, thread_safe, async_min_qlen, async_evd, ia_handle, false);
}
template decltype(ia_open<true>) ia_open<true>;
template decltype(ia_open<false>) ia_open<false>;

DAT_RETURN dat_ia_ha_related(DAT_IA_HANDLE ia_handle, const DAT_NAME_PTR ia_name,
			     DAT_BOOLEAN *answer)
{
	return call([&] {
		if (!kdapl::pin<Ia>(ia_handle))
			return bad_handle(Sub::handle_ia);
		if (!ia_name)
			return bad_parameter(Sub::arg2);
		if (!answer)
			return bad_parameter(Sub::arg3);
		/* A connection has one adapter for life. */
		*answer = DAT_FALSE;
		return success;
	});
}

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle, DAT_COUNT private_data_size,
			 const DAT_PVOID private_data)
{
	return call([&] { return cr_reject(cr_handle, private_data_size, private_data); });
}

DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
				 DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
				 const DAT_PVOID private_data)
{
	return call([&] {
		const auto ep = kdapl::pin<Ep>(ep_handle);
		std::uint16_t port = 0;

		if (!ep)
			return bad_handle(Sub::handle_ep);
		if (!remote_ia_address)
			return bad_parameter(Sub::arg2);
		if (Status status = check_port(remote_ia_address, port); !status.ok())
			return status;
		if (private_data_size < 0)
			return bad_parameter(Sub::arg4);
		if (private_data_size && !private_data)
			return bad_parameter(Sub::arg5);
		Status status = ep->connect(
			{ .remote_address = remote_ia_address,
			  .conn_qual = port,
			  .timeout_us = timeout,
			  .private_data = face::private_data(private_data_size, private_data) });
		/* The engine counts the connection qualifier as well. */
		status = moved(status, Sub::arg4, Sub::arg3);
		return moved(status, Sub::arg5, Sub::arg4);
	});
}

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
			  DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
			  DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
			  DAT_VA_TYPE va_type, DAT_LMR_HANDLE *lmr_handle,
			  DAT_LMR_CONTEXT *lmr_context, DAT_RMR_CONTEXT *rmr_context,
			  DAT_VLEN *registered_size, DAT_VADDR *registered_address)
{
	return call([&] {
		if (!kdapl::pin<Ia>(ia_handle))
			return bad_handle(Sub::handle_ia);
		if (va_type != DAT_VA_TYPE_VA)
			return fail(Type::model_not_supported);
		return moved(lmr_create({ ia_handle, mem_type, region_description, length,
					  pz_handle, mem_privileges, lmr_handle, lmr_context,
					  rmr_context, registered_size, registered_address }),
			     Sub::arg7, Sub::arg8);
	});
}

DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE *rmr_handle)
{
	return call([&] {
		if (!kdapl::pin<Pz>(pz_handle))
			return bad_handle(Sub::handle_pz);
		return rmr_handle ? fail(Type::model_not_supported) : bad_parameter(Sub::arg2);
	});
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, DAT_LMR_HANDLE lmr_handle,
			const DAT_LMR_TRIPLET *lmr_triplet, DAT_MEM_PRIV_FLAGS mem_privileges,
			DAT_VA_TYPE va_type, DAT_EP_HANDLE ep_handle, DAT_RMR_COOKIE user_cookie,
			DAT_COMPLETION_FLAGS completion_flags, DAT_RMR_CONTEXT *context)
{
	return call([&] {
		DAT_RMR_CONTEXT none;

		if (Status status = check_lmr(rmr_handle, lmr_handle, lmr_triplet); !status.ok())
			return status;
		/* An unbound window has neither addresses nor a context. */
		const bool unbinds = !lmr_triplet->segment_length;
		if (!unbinds && va_type != DAT_VA_TYPE_VA)
			return fail(Type::model_not_supported);
		return count_bind(
			rmr_bind({ rmr_handle, lmr_triplet, mem_privileges, ep_handle, user_cookie,
				   completion_flags, unbinds && !context ? &none : context }));
	});
}

} // namespace face_own
