# Parses the headers that nearly every file includes only once, which halves what a sanitizer build costs. Every file still
# has to include what it uses: build/ has no precompiled headers, so that a missing include is an error there. Only headers
# of the system are listed, because a changed one of ours would make every file a miss in the compiler cache.
set(standard <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <deque> <filesystem> <functional> <map>
    <memory> <mutex> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <system_error> <thread>
    <unordered_map> <utility> <variant> <vector>)

# Targets share what was precompiled with the same options: fuzz/CMakeLists.txt gives some to the first three.
target_precompile_headers(tenure_core PRIVATE ${standard})
foreach(target tenure_redis tenure_poll)
  target_precompile_headers(${target} REUSE_FROM tenure_core)
endforeach()
target_precompile_headers(tenure_runtime PRIVATE ${standard})
foreach(target tenure_world tenure-sim tenure_process tenure_api tenure)
  target_precompile_headers(${target} REUSE_FROM tenure_runtime)
endforeach()
if(TENURE_TESTS)
  target_precompile_headers(test_support PRIVATE ${standard} <gtest/gtest.h>)
  foreach(kind unit scenario conformance integration process faults cli)
    target_precompile_headers(${kind}_tests REUSE_FROM test_support)
  endforeach()
endif()
