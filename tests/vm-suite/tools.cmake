# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# datcp against hostile senders.
if(TARGET datcp)
	add_executable(tools_hostile
		tools_hostile_test.cpp
		${PROJECT_SOURCE_DIR}/ulib/tools/datcp/link.cpp)
	target_include_directories(tools_hostile PRIVATE ${PROJECT_SOURCE_DIR}/ulib/tools)
	target_compile_definitions(tools_hostile PRIVATE DATCP_FILE="$<TARGET_FILE:datcp>")
	target_link_libraries(tools_hostile PRIVATE tools_common GTest::gtest_main)
	target_compile_options(tools_hostile PRIVATE -Wall -Wextra -Werror)
	add_dependencies(tools_hostile datcp)
endif()
