// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An attribute that DAT has no field for. */
#pragma once

#include <string>

namespace face {

struct NamedAttribute {
	const char *name;
	std::string value;
};

} // namespace face
