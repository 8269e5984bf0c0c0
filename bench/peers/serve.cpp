#include "peers/serve.hpp"

#include <barrier>
#include <ctime>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "peers/watch.hpp"

namespace tenure::bench::peers {

namespace {

constexpr int contested = -1;  // the one name of all; callers have names from 0 on

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::string timed(const std::function<void()>& work) {
  const double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  const double begun = now(CLOCK_MONOTONIC);
  work();
  const double seconds = now(CLOCK_MONOTONIC) - begun;
  return "done " + std::to_string(seconds) + " " + std::to_string(now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

class Server {
 public:
  explicit Server(Backend& backend) : backend_(backend) {}

  std::string answer(std::istringstream words) {
    std::string word;
    std::string more;
    int first = 0;
    int second = 0;
    words >> word >> first >> second >> more;
    if (word == "cycle") return cycle(first, second);
    if (word == "handover") return hand_over(first, second, more == "aside");
    if (word == "hold") {
      held_ = backend_.hold(first);
      return held_ ? "done" : "unsupported";
    }
    if (word == "renew" && held_) return timed([this] { backend_.renew(); });
    if (word == "drop" && held_) {
      backend_.drop();
      return "done";
    }
    return "unsupported";
  }

 private:
  using Work = std::function<void(int number, Caller& caller)>;

  std::string cycle(int callers, int times) {
    return in_threads(callers, [times](int number, Caller& caller) {
      for (int i = 0; i < times; ++i) {
        caller.acquire(number);
        caller.release();
      }
    });
  }

  std::string hand_over(int waiters, int times, bool aside) {
    Watch watch(waiters + 1, times);
    in_threads(waiters + 1, [&](int who, Caller& caller) {
      while (!watch.ended()) {
        watch.asks(who);
        caller.acquire(contested);
        watch.owns(who);
        if (!watch.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        watch.releases();
        caller.release();
        if (aside) watch.wait_for_another(who);
      }
    });
    return "done " + watch.answer();
  }

  // Each caller in a thread, with a connection that stays for later blocks. Starting the threads is not measured.
  std::string in_threads(int count, const Work& work) {
    while (callers_.size() < static_cast<std::size_t>(count)) callers_.push_back(backend_.connect());
    std::vector<std::string> failures(static_cast<std::size_t>(count));
    std::barrier<> begin(count + 1);
    std::barrier<> end(count + 1);
    std::vector<std::jthread> threads;
    for (int number = 0; number < count; ++number) {
      threads.emplace_back([&, number, which = static_cast<std::size_t>(number)] {
        begin.arrive_and_wait();
        try {
          work(number, *callers_[which]);
        } catch (const std::exception& error) {
          failures[which] = error.what();
        }
        end.arrive_and_wait();
      });
    }
    for (int number = 0; number < count; ++number) callers_[static_cast<std::size_t>(number)]->prepare();
    const std::string took = timed([&] {
      begin.arrive_and_wait();
      end.arrive_and_wait();
    });
    for (const auto& failure : failures) {
      if (!failure.empty()) throw std::runtime_error(failure);
    }
    return took;
  }

  Backend& backend_;
  std::vector<std::unique_ptr<Caller>> callers_;
  bool held_ = false;
};

}  // namespace

int serve(Backend& backend) {
  try {
    Server server(backend);
    std::cout << "ready " << backend.version() << '\n' << std::flush;
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
      std::cout << server.answer(std::istringstream(line)) << '\n' << std::flush;
    }
    return 0;
  } catch (const std::exception& error) {
    std::string text = error.what();
    std::ranges::replace(text, '\n', ' ');
    std::cout << "error " << text << '\n' << std::flush;
    return 1;
  }
}

}  // namespace tenure::bench::peers
