// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#pragma once

#include "face.hpp"

namespace face {

/** A type or a subtype of results, and its name in the headers. */
struct ResultName {
	DAT_UINT32 value;
	const char *text;
};

} // namespace face
