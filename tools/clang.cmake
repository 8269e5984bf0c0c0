# The second compiler. Clang 14, which is plain `clang` on Debian 12, lacks too much of C++20, so newer ones are looked for by name.
find_program(TENURE_CLANGXX NAMES clang++-16 clang++-19 clang++-18 clang++-17 REQUIRED)
set(CMAKE_CXX_COMPILER ${TENURE_CLANGXX})
