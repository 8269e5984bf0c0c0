# Parses the headers that nearly every file includes only once, which halves what a sanitizer build costs and takes a third
# from the tests of any build. Every file still has to include what it uses: build/ precompiles for tests only, so that a
# missing include of what is shipped is an error there, and clang-tidy reads every file that changed without any (check_tidy
# in dev). Only headers of the system are listed, because a changed one of ours would make every file a miss in the compiler
# cache.
set(standard <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <deque> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <system_error> <thread>
    <tl/expected.hpp> <unordered_map> <utility> <variant> <vector>)

string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(precompile_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
if(TENURE_SANITIZE)
  list(APPEND precompile_flags -fsanitize=${TENURE_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompiled_suffix gch)
  set(precompiled_option -fpch-preprocess) # ccache wants to see which precompiled header a file was given
else()
  set(precompiled_suffix pch)
endif()

# precompile(target headers…). The result names the folder it was made in, so that by its bytes no other clone would find in the
# compiler cache what was compiled with it. What counts is what the headers say: a sum of that lies beside it, for ccache to
# take instead. A header that changes lets CMake run again.
function(precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE ${precompiled_option})
  get_target_property(folder ${target} BINARY_DIR)
  set(result ${folder}/CMakeFiles/${target}.dir/cmake_pch.hxx.${precompiled_suffix})
  set(text ${PROJECT_BINARY_DIR}/precompiled-${target})
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1" OUTPUT_VARIABLE includes)
  list(JOIN includes "\n" includes)
  file(WRITE ${text}.cpp "${includes}\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${precompile_flags} -D_GLIBCXX_ASSERTIONS
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

# share(owner targets…): what was precompiled for the owner, with the same options, is that of the others as well.
function(share owner)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    target_compile_options(${target} PRIVATE ${precompiled_option})
  endforeach()
endfunction()

# fuzz/CMakeLists.txt gives options to the first of these.
if(TENURE_PRECOMPILE STREQUAL "all")
  precompile(tenure_core ${standard})
  share(tenure_core tenure_redis tenure_json tenure_poll)
  precompile(tenure_runtime ${standard})
  share(tenure_runtime tenure_redis_net tenure_redis_poll tenure_postgres tenure_postgres_net tenure_postgres_poll tenure_world tenure-sim
        tenure_process tenure_metrics tenure_api tenure_api_poll tenure_api_postgres http_target tenure_http tenure_cli
        tenure_cli_fleet tenure tenure-fleet)
endif()
if(TENURE_TESTS)
  precompile(test_support ${standard} <gtest/gtest.h>)
  foreach(kind unit scenario conformance contract postgres runtime integration process faults cli)
    share(test_support ${kind}_tests)
  endforeach()
  # Who does not link gtest has other options, and GCC would not take what was made with those.
  precompile(tenure-faults ${standard})
  share(tenure-faults lease_process candidate_process)
endif()
