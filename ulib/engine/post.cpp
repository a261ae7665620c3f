// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A transfer of any kind, for calls that are made seldom.

#include "post.hpp"

namespace kdapl {

Status Ep::post(const Post &post) noexcept
{
	return post_here<std::lock_guard<Mutex>>(post);
}

} // namespace kdapl
