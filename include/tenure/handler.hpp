// What an asynchronous call ends with.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenure {

/// Called once with the result, by Client::poll(). Made of whatever can be called with one; that need not be copyable.
template <class Result>
class Handler {
 public:
  template <class Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Handler> && std::invocable<Function, Result>)
  Handler(Function&& function)
      : function_(std::make_unique<Of<std::remove_cvref_t<Function>>>(std::forward<Function>(function))) {}

  void operator()(Result result) && { std::exchange(function_, nullptr)->call(std::move(result)); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual void call(Result result) = 0;
  };
  template <class Function>
  struct Of final : Any {
    explicit Of(Function its) : function(std::move(its)) {}
    void call(Result result) override { std::move(function)(std::move(result)); }
    Function function;
  };

  std::unique_ptr<Any> function_;
};

}  // namespace tenure
