// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the library says beside its results. DAT_DBG_TYPE is a bit mask (1:
 * errors and warnings, 2: warnings), DAT_DBG_DEST says where to (1: standard output, 2: syslog,
 * default: standard error). Where they are not set DAPL_DBG_TYPE and DAPL_DBG_DEST are, as OFED's
 * providers have them.
 */
#pragma once

namespace kdapl {

/**
 * Tell the reason of a failure, when the environment asks for it. printf-like;
 * the line end is added.
 */
[[gnu::format(printf, 1, 2)]] void debug_error(const char *format, ...) noexcept;

/**
 * The same for what an administrator has to mend: told unless DAT_DBG_TYPE says
 * otherwise, because no result of a call can tell it.
 */
[[gnu::format(printf, 1, 2)]] void debug_warning(const char *format, ...) noexcept;

} // namespace kdapl
