// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The calls on handles that only 2.0 has, or whose arguments in it are not those of
// other versions.

#include "extensions.hpp"
#include "face/redirect.hpp"

using face::send_last;
using face::send_on;

DAT_RETURN dat_cno_fd_create(DAT_IA_HANDLE ia_handle, DAT_FD *fd, DAT_CNO_HANDLE *cno_handle)
{
	return send_on<&DAT_PROVIDER::cno_fd_create_func>(ia_handle, fd, cno_handle);
}

DAT_RETURN dat_cno_trigger(DAT_CNO_HANDLE cno_handle, DAT_EVD_HANDLE *evd_handle)
{
	return send_on<&DAT_PROVIDER::cno_trigger_func>(cno_handle, evd_handle);
}

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle, DAT_COUNT private_data_size,
			 const DAT_PVOID private_data)
{
	return send_last<&DAT_PROVIDER::cr_reject_func>(cr_handle, private_data_size, private_data);
}

DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia_handle, DAT_COMM *comm, DAT_IA_ADDRESS_PTR address,
			  DAT_EVD_HANDLE evd_handle, DAT_CSP_HANDLE *csp_handle)
{
	return send_on<&DAT_PROVIDER::csp_create_func>(ia_handle, comm, address, evd_handle,
						       csp_handle);
}

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp_handle, DAT_CSP_PARAM_MASK csp_param_mask,
			 DAT_CSP_PARAM *csp_param)
{
	return send_on<&DAT_PROVIDER::csp_query_func>(csp_handle, csp_param_mask, csp_param);
}

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp_handle)
{
	return send_last<&DAT_PROVIDER::csp_free_func>(csp_handle);
}

DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
				 DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
				 const DAT_PVOID private_data)
{
	return send_on<&DAT_PROVIDER::ep_common_connect_func>(ep_handle, remote_ia_address, timeout,
							      private_data_size, private_data);
}

DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
					    DAT_LMR_TRIPLET *local_iov, DAT_DTO_COOKIE user_cookie,
					    DAT_COMPLETION_FLAGS completion_flags,
					    DAT_BOOLEAN invalidate, DAT_RMR_CONTEXT rmr_context)
{
	return send_on<&DAT_PROVIDER::ep_post_send_with_invalidate_func>(
		ep_handle, num_segments, local_iov, user_cookie, completion_flags, invalidate,
		rmr_context);
}

DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep_handle, const DAT_RMR_TRIPLET *local,
					DAT_DTO_COOKIE user_cookie, const DAT_RMR_TRIPLET *remote,
					DAT_COMPLETION_FLAGS completion_flags)
{
	return send_on<&DAT_PROVIDER::ep_post_rdma_read_to_rmr_func>(ep_handle, local, user_cookie,
								     remote, completion_flags);
}

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
			  DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
			  DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
			  DAT_VA_TYPE va_type, DAT_LMR_HANDLE *lmr_handle,
			  DAT_LMR_CONTEXT *lmr_context, DAT_RMR_CONTEXT *rmr_context,
			  DAT_VLEN *registered_size, DAT_VADDR *registered_address)
{
	return send_on<&DAT_PROVIDER::lmr_create_func>(
		ia_handle, mem_type, region_description, length, pz_handle, mem_privileges, va_type,
		lmr_handle, lmr_context, rmr_context, registered_size, registered_address);
}

DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE *rmr_handle)
{
	return send_on<&DAT_PROVIDER::rmr_create_for_ep_func>(pz_handle, rmr_handle);
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, DAT_LMR_HANDLE lmr_handle,
			const DAT_LMR_TRIPLET *lmr_triplet, DAT_MEM_PRIV_FLAGS mem_privileges,
			DAT_VA_TYPE va_type, DAT_EP_HANDLE ep_handle, DAT_RMR_COOKIE user_cookie,
			DAT_COMPLETION_FLAGS completion_flags, DAT_RMR_CONTEXT *context)
{
	return send_on<&DAT_PROVIDER::rmr_bind_func>(rmr_handle, lmr_handle, lmr_triplet,
						     mem_privileges, va_type, ep_handle,
						     user_cookie, completion_flags, context);
}

namespace {

/** Whoever serves the adapter: it is opened as any program would. */
DAT_RETURN open_query(va_list args)
{
	const DAT_NAME_PTR name = va_arg(args, DAT_NAME_PTR);
	const face::OpenQuery query(args);
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
	const DAT_RETURN ret = dat_ia_openv(name, 1, &async_evd, query.ia, DAT_VERSION_MAJOR,
					    DAT_VERSION_MINOR, DAT_FALSE);

	return ret == DAT_SUCCESS ? query.ask(dat_ia_query, dat_ia_close) : ret;
}

} // namespace

DAT_RETURN dat_extension_op(DAT_HANDLE handle, DAT_EXTENDED_OP op, ...)
{
	va_list args;

	va_start(args, op);
	const DAT_RETURN ret =
		op == DAT_IB_OPEN_QUERY_OP ?
			open_query(args) :
		op == DAT_IB_CLOSE_QUERY_OP ?
			dat_ia_close(handle, DAT_CLOSE_ABRUPT_FLAG) :
			send_on<&DAT_PROVIDER::handle_extendedop_func>(handle, op, args);
	va_end(args);
	return ret;
}
