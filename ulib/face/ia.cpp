// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// IA: open, query, close.

#include "attributes.hpp"
#include "own.hpp"

#include "engine/evd.hpp"
#include "engine/ia.hpp"

using namespace face;

namespace {

DAT_EVD_HANDLE shown_async_evd(const kdapl::Ia &ia) noexcept
{
	/* One that was lent may have gone with its owner: nobody here can ask it. */
	const bool is_there = !ia.async_elsewhere() && kdapl::pin<kdapl::Evd>(ia.async_evd());

	return is_there ? to_dat(ia.async_evd()) : DAT_EVD_OUT_OF_SCOPE;
}

/** @a args lacks what @a as, @a async_evd and the registry say. */
Status open(const std::string &ia_name, const Registered &as, kdapl::IaOpen args,
	    DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle)
{
	ProviderForOpen provider(ia_name, as);
	Ref<kdapl::Evd> lent;
	Ref<kdapl::Ia> ia;

	args.name = as.device;
	args.provider = provider.table();
	args.tell_operation = version::tells_operation;
	args.mixes_styles = version::mixes_styles;
	args.async_elsewhere = *async_evd == DAT_EVD_ASYNC_EXISTS;
	if (*async_evd != DAT_HANDLE_NULL && !args.async_elsewhere) {
		lent = kdapl::pin<kdapl::Evd>(*async_evd);
		if (!lent)
			return bad_handle(Sub::handle_evd_async);
		args.lent_evd = &*lent;
	}
	if (Status status = kdapl::Ia::open(args, ia); !status.ok())
		return status;
	try {
		ia->set_face_data(std::make_unique<IaAttributes>(*ia, as.thread_safe));
	} catch (...) {
		(void)ia->close_abruptly();
		throw;
	}
	provider.keep();
	*async_evd = shown_async_evd(*ia);
	*ia_handle = to_dat(ia->handle());
	return success;
}

} // namespace

namespace face_own {

DAT_RETURN ia_open_device(const std::string &ia_name, const Registered &as,
			  DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
			  DAT_IA_HANDLE *ia_handle, bool ro_aware)
{
	return call([&] {
		if (!async_evd)
			return bad_parameter(Sub::arg3);
		if (*async_evd == DAT_HANDLE_NULL && async_min_qlen < 0)
			return bad_parameter(Sub::arg2);
		if (!ia_handle)
			return bad_handle(Sub::handle_ia);
		return open(ia_name, as,
			    { .name = {},
			      .ro_aware = ro_aware,
			      .async_qlen = static_cast<std::uint32_t>(async_min_qlen) },
			    async_evd, ia_handle);
	});
}

DAT_RETURN ia_open_name(const char *ia_name, bool thread_safe, DAT_COUNT async_min_qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle, bool ro_aware)
{
	if (!ia_name)
		return to_dat(bad_parameter(Sub::arg1));
	try {
		return ia_open_device(ia_name, registered_as(ia_name, thread_safe), async_min_qlen,
				      async_evd, ia_handle, ro_aware);
	} catch (const std::bad_alloc &) {
		return error(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
	}
}

DAT_RETURN dat_ia_query(DAT_IA_HANDLE ia_handle, DAT_EVD_HANDLE *async_evd,
			DAT_IA_ATTR_MASK ia_attr_mask, DAT_IA_ATTR *ia_attributes,
			DAT_PROVIDER_ATTR_MASK provider_attr_mask,
			DAT_PROVIDER_ATTR *provider_attributes)
{
	return call([&] {
		const auto ia = kdapl::pin<kdapl::Ia>(ia_handle);

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (ia_attr_mask & ~DAT_IA_FIELD_ALL)
			return bad_parameter(Sub::arg3);
		if (ia_attr_mask && !ia_attributes)
			return bad_parameter(Sub::arg4);
		if (provider_attr_mask & ~DAT_PROVIDER_FIELD_ALL)
			return bad_parameter(Sub::arg5);
		if (provider_attr_mask && !provider_attributes)
			return bad_parameter(Sub::arg6);

		if (async_evd)
			*async_evd = shown_async_evd(*ia);
		if (ia_attr_mask)
			fill(*ia, *ia_attributes);
		if (provider_attr_mask)
			fill(*ia, *provider_attributes);
		return success;
	});
}

DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia_handle, DAT_CLOSE_FLAGS ia_flags)
{
	return call([&] {
		const auto ia = kdapl::pin<kdapl::Ia>(ia_handle);

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (ia_flags == DAT_CLOSE_GRACEFUL_FLAG)
			return ia->close_gracefully();
		if (ia_flags != DAT_CLOSE_ABRUPT_FLAG)
			return bad_parameter(Sub::arg2);
		return ia->close_abruptly();
	});
}

} // namespace face_own
