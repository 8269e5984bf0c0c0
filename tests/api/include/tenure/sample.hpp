// What tools/headers.awk must be able to read; nothing compiles this.
// Its first comment has two lines.
#pragma once

#include <string>

namespace tenure {

class Later;

namespace detail {
struct Secret {
  int hidden;
};
}  // namespace detail

/// A class with everything.
/// In two lines.
template <class T>
class Box : public Base<T> {
  int hidden_;

 public:
  Box(int a) : a_{a} {}
  explicit Box(std::string s) : s_(std::move(s)) {
    if (s_.empty()) {
      fail("a }; in a string");
    }
  }
  Box(const Box&) = delete;
  /// With a body.
  bool odd() const { return '}' != c_; }  // said behind
  auto broken_over(int lines, std::string b = "a // b; {", std::chrono::milliseconds timeout = 1'000) noexcept
      -> int;
  template <class Each>
  void each(Each&& each) const {
    for (int i = 0; i < 3; ++i) each(i);
  }
  struct Inner {
    int a = 1;                        // said behind,
                                      // in two lines
    std::function<void(int)> call{};  // braces behind a parenthesis

   private:
    int hidden_;
  };

 protected:
  int inherited();

 private:
  friend class Later;
  struct Hidden {
    int hidden;
  };
  int hidden();
};

inline constexpr int limit = 5;
using Either = std::variant<int, Box<int>>;
int free_function(Box<int> b = {}, std::function<void(int)> f = [](int) {});
enum class Kind { first = 1, last };
bool operator==(const Later&, const Later&);

}  // namespace tenure
