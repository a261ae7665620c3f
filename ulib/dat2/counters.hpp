// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The extensions that read what IAs, EPs and EVDs have counted. */
#pragma once

#include "face/face.hpp"

#include <cstdarg>

namespace face_own {

/** dat_ib_query_counters(); its arguments behind the handle. */
DAT_RETURN query_counters(DAT_HANDLE handle, va_list args) noexcept;

/** dat_ib_print_counters(), likewise. */
DAT_RETURN print_counters(DAT_HANDLE handle, va_list args) noexcept;

} // namespace face_own
