// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// PZ.

#include "face.hpp"

#include "engine/pz.hpp"

using namespace face;
using kdapl::Ia;
using kdapl::Pz;

namespace face_own {

DAT_RETURN dat_pz_create(DAT_IA_HANDLE ia_handle, DAT_PZ_HANDLE *pz_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		Ref<Pz> pz;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (!pz_handle)
			return bad_parameter(Sub::arg2);
		const Status status = Pz::create(ia, pz);
		if (status.ok())
			*pz_handle = to_dat(pz->handle());
		return status;
	});
}

DAT_RETURN dat_pz_query(DAT_PZ_HANDLE pz_handle, DAT_PZ_PARAM_MASK pz_param_mask,
			DAT_PZ_PARAM *pz_param)
{
	return call([&] {
		const auto pz = kdapl::pin<Pz>(pz_handle);

		if (!pz)
			return bad_handle(Sub::handle_pz);
		if (Status status = check_query(pz_param_mask, DAT_PZ_FIELD_ALL, pz_param);
		    !status.ok())
			return status;
		pz_param->ia_handle = version::shown_ia(pz->ia().handle());
		return success;
	});
}

DAT_RETURN dat_pz_free(DAT_PZ_HANDLE pz_handle)
{
	return call([&] {
		const auto pz = kdapl::pin<Pz>(pz_handle);

		return pz ? pz->free() : bad_handle(Sub::handle_pz);
	});
}

} // namespace face_own
