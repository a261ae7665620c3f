# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The parts of the tools that need no adapter.
if(TARGET tools_pure)
	add_executable(tools_test
		tools_file_name_test.cpp
		tools_latency_test.cpp
		tools_pattern_test.cpp
		tools_protocol_test.cpp
		tools_target_file_test.cpp
		tools_text_test.cpp)
	target_include_directories(tools_test PRIVATE ${PROJECT_SOURCE_DIR}/ulib/tools)
	target_link_libraries(tools_test PRIVATE tools_pure GTest::gtest_main)
	target_compile_options(tools_test PRIVATE -Wall -Wextra -Werror)
	gtest_discover_tests(tools_test)
endif()
