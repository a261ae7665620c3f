// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CNOs with a file descriptor.

#include "table.hpp"

#include "engine/cno.hpp"

using namespace face;
using kdapl::Cno;
using kdapl::Ia;

namespace face_own {

DAT_RETURN dat_cno_fd_create(DAT_IA_HANDLE ia_handle, DAT_FD *fd, DAT_CNO_HANDLE *cno_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		Ref<Cno> cno;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (!fd)
			return bad_parameter(Sub::arg2);
		if (!cno_handle)
			return bad_parameter(Sub::arg3);
		if (Status status = Cno::create_with_fd(ia, cno); !status.ok())
			return status;
		*fd = cno->fd();
		*cno_handle = to_dat(cno->handle());
		return success;
	});
}

DAT_RETURN dat_cno_trigger(DAT_CNO_HANDLE cno_handle, DAT_EVD_HANDLE *evd_handle)
{
	return call([&] {
		const auto cno = kdapl::pin<Cno>(cno_handle);
		kdapl::Handle evd;

		if (!cno)
			return bad_handle(Sub::handle_cno);
		if (!evd_handle)
			return bad_parameter(Sub::arg2);
		if (cno->fd() < 0)
			return fail(Type::invalid_state);
		const Status status = cno->take(evd);
		*evd_handle = to_dat(evd);
		return status;
	});
}

} // namespace face_own
