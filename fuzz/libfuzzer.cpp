// The door through which libFuzzer comes in.
#include <cstddef>
#include <cstdint>

#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenure::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
