// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "pz.hpp"

namespace kdapl {

Status Pz::create(const Ref<Ia> &ia, Ref<Pz> &pz)
{
	Draft<Pz> draft(ia->provider(), ia.share());
	kdapl_pz_create arg{};

	if (int err = ia->device().call(KDAPL_PZ_CREATE, arg))
		return from_errno(err, { .limit = Sub::resource_protection_domain });
	draft->id_ = arg.id;
	pz = ia->adopt(draft);
	return pz ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Pz::free() noexcept
{
	return ia().free(*this, { .object = Sub::handle_pz, .busy = Sub::pz_in_use });
}

} // namespace kdapl
