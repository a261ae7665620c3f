// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CNO.

#include "face.hpp"

#include "engine/cno.hpp"

using namespace face;
using kdapl::Agent;
using kdapl::Cno;
using kdapl::Ia;

namespace {

Agent from_dat(const DAT_OS_WAIT_PROXY_AGENT &agent) noexcept
{
	return { agent.instance_data, agent.proxy_agent_func };
}

} // namespace

namespace face_own {

DAT_RETURN dat_cno_create(DAT_IA_HANDLE ia_handle, DAT_OS_WAIT_PROXY_AGENT agent,
			  DAT_CNO_HANDLE *cno_handle)
{
	return call([&] {
		const auto ia = kdapl::pin<Ia>(ia_handle);
		Ref<Cno> cno;

		if (!ia)
			return bad_handle(Sub::handle_ia);
		if (!cno_handle)
			return bad_parameter(Sub::arg3);
		if (Status status = Cno::create(ia, cno); !status.ok())
			return status;
		if (agent.proxy_agent_func) {
			if (Status status = Cno::set_agent(cno, from_dat(agent)); !status.ok()) {
				(void)cno->free();
				return status;
			}
		}
		*cno_handle = to_dat(cno->handle());
		return success;
	});
}

DAT_RETURN dat_cno_modify_agent(DAT_CNO_HANDLE cno_handle, DAT_OS_WAIT_PROXY_AGENT agent)
{
	return call([&] {
		const auto cno = kdapl::pin<Cno>(cno_handle);

		return cno ? Cno::set_agent(cno, from_dat(agent)) : bad_handle(Sub::handle_cno);
	});
}

DAT_RETURN dat_cno_query(DAT_CNO_HANDLE cno_handle, DAT_CNO_PARAM_MASK cno_param_mask,
			 DAT_CNO_PARAM *cno_param)
{
	return call([&] {
		const auto cno = kdapl::pin<Cno>(cno_handle);

		if (!cno)
			return bad_handle(Sub::handle_cno);
		if (Status status = check_query(cno_param_mask, version::cno_fields, cno_param);
		    !status.ok())
			return status;
		const Agent agent = cno->agent();
		cno_param->ia_handle = version::shown_ia(cno->ia().handle());
		version::set_proxy(*cno_param, { agent.instance, agent.function }, cno->fd());
		return success;
	});
}

DAT_RETURN dat_cno_wait(DAT_CNO_HANDLE cno_handle, DAT_TIMEOUT timeout, DAT_EVD_HANDLE *evd_handle)
{
	return sleeping_call([&] {
		const auto cno = kdapl::pin<Cno>(cno_handle);
		kdapl::Handle evd;

		if (!cno)
			return bad_handle(Sub::handle_cno);
		if (!evd_handle)
			return bad_parameter(Sub::arg3);
		const Status status = cno->wait(timeout, evd);
		*evd_handle = to_dat(evd);
		return status;
	});
}

DAT_RETURN dat_cno_free(DAT_CNO_HANDLE cno_handle)
{
	return call([&] {
		const auto cno = kdapl::pin<Cno>(cno_handle);

		return cno ? cno->free() : bad_handle(Sub::handle_cno);
	});
}

} // namespace face_own
