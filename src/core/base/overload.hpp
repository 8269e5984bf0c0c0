// Several functions as one, for std::visit: what has none among them does not compile.
#pragma once

namespace tenure::core {

template <class... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overload(Functions...) -> Overload<Functions...>;

}  // namespace tenure::core
