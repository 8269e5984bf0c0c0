# Parses the headers that nearly every file includes only once, which halves what a sanitizer build costs. Every file still
# has to include what it uses: build/ has no precompiled headers, so that a missing include is an error there. Only headers
# of the system are listed, because a changed one of ours would make every file a miss in the compiler cache.
set(standard <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <deque> <filesystem> <functional> <map>
    <memory> <mutex> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <system_error> <thread>
    <unordered_map> <utility> <variant> <vector>)

# precompile(target headers…). The result names the folder it was made in, so that by its bytes no other clone would find in the
# compiler cache what was compiled with it. What counts is what the headers say: a sum of that lies beside it, for ccache to
# take instead. A header that changes lets CMake run again.
function(precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  get_target_property(folder ${target} BINARY_DIR)
  set(result ${folder}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch)
  set(text ${PROJECT_BINARY_DIR}/precompiled-${target})
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1" OUTPUT_VARIABLE includes)
  list(JOIN includes "\n" includes)
  file(WRITE ${text}.cpp "${includes}\n")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${flags} -fsanitize=${TENURE_SANITIZE} -D_GLIBCXX_ASSERTIONS
                          -E -dD -P -MD -MF ${text}.d ${text}.cpp -o ${text}.txt
                  COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 ${text}.txt sum)
  file(WRITE ${result}.sum ${sum})
  file(STRINGS ${text}.d lines REGEX "/usr/")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "/[^ \\\\]+" headers "${line}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  endforeach()
endfunction()

# Targets share what was precompiled with the same options: fuzz/CMakeLists.txt gives some to the first three.
precompile(tenure_core ${standard})
foreach(target tenure_redis tenure_poll)
  target_precompile_headers(${target} REUSE_FROM tenure_core)
endforeach()
precompile(tenure_runtime ${standard})
foreach(target tenure_redis_net tenure_world tenure-sim tenure_process tenure_api http_target tenure_cli tenure)
  target_precompile_headers(${target} REUSE_FROM tenure_runtime)
endforeach()
if(TENURE_TESTS)
  precompile(test_support ${standard} <gtest/gtest.h>)
  foreach(kind unit scenario conformance contract runtime integration process faults cli)
    target_precompile_headers(${kind}_tests REUSE_FROM test_support)
  endforeach()
endif()
