// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// IA: open, query, close.

#include "attributes.hpp"
#include "face.hpp"
#include "provider.hpp"

#include "engine/evd.hpp"
#include "engine/ia.hpp"

#include <cstring>

using namespace dat1;

namespace {

Status check_version(DAT_UINT32 major, DAT_UINT32 minor) noexcept
{
	if (major != DAT_VERSION_MAJOR)
		return fail(Type::provider_not_found, Sub::major_not_found);
	/* 1.1 programs have smaller structures than 1.2 fills. */
	if (minor != DAT_VERSION_MINOR)
		return fail(Type::provider_not_found, Sub::minor_not_found);
	return success;
}

Status check_async_evd(DAT_EVD_HANDLE async_evd) noexcept
{
	if (async_evd == DAT_HANDLE_NULL)
		return success;
	if (async_evd != DAT_EVD_ASYNC_EXISTS && !kdapl::pin<kdapl::Evd>(async_evd))
		return bad_handle(Sub::handle_evd_async);
	/* Each open file has its own; another instance's cannot be lent yet. */
	return fail(Type::model_not_supported);
}

Status open(std::string_view name, DAT_COUNT async_min_qlen, DAT_EVD_HANDLE *async_evd,
	    DAT_IA_HANDLE *ia_handle)
{
	kdapl::IaOpen args;
	Ref<kdapl::Ia> ia;

	if (name.starts_with(kdapl::ro_aware_prefix)) {
		args.ro_aware = true;
		name.remove_prefix(kdapl::ro_aware_prefix.size());
	}

	ProviderForOpen provider(name);
	args.name = name;
	args.async_qlen = static_cast<std::uint32_t>(async_min_qlen);
	args.provider = provider.table();
	if (Status status = kdapl::Ia::open(args, ia); !status.ok())
		return status;
	try {
		ia->set_face_data(std::make_unique<NamedAttributes>(*ia));
	} catch (...) {
		ia->close_abruptly();
		throw;
	}
	provider.keep();
	*async_evd = to_dat(ia->async_evd());
	*ia_handle = to_dat(ia->handle());
	return success;
}

} // namespace

DAT_RETURN dat_ia_openv(const DAT_NAME_PTR ia_name, DAT_COUNT async_min_qlen,
			DAT_EVD_HANDLE *async_evd, DAT_IA_HANDLE *ia_handle, DAT_UINT32 dapl_major,
			DAT_UINT32 dapl_minor, DAT_BOOLEAN)
{
	return call([&] {
		if (!ia_name || strnlen(ia_name, DAT_NAME_MAX_LENGTH) >= DAT_NAME_MAX_LENGTH)
			return bad_parameter(Sub::arg1);
		if (async_min_qlen < 0)
			return bad_parameter(Sub::arg2);
		if (!async_evd)
			return bad_parameter(Sub::arg3);
		if (!ia_handle)
			return bad_handle(Sub::handle_ia);
		if (Status status = check_version(dapl_major, dapl_minor); !status.ok())
			return status;
		if (Status status = check_async_evd(*async_evd); !status.ok())
			return status;
		return open(ia_name, async_min_qlen, async_evd, ia_handle);
	});
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
			*async_evd = to_dat(ia->async_evd());
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
		ia->close_abruptly();
		return success;
	});
}
