#include "poll/discovery.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tenure::poll {

namespace {

// Changes come in crowds: wait for some more of them.
constexpr Milliseconds crowd{50};
// A source that could not be read is not left alone for as long as one that could.
constexpr Milliseconds again{1'000};

bool same(const Discovery::Read& one, const Discovery::Read& other) {
  if (one.has_value() != other.has_value()) return false;
  return one ? one->good == other->good && one->bad == other->bad : one.error() == other.error();
}

}  // namespace

Discovery::Discovery(std::shared_ptr<SessionSource> source, Milliseconds every, Changed changed)
    : source_(std::move(source)), every_(every), changed_(std::move(changed)), thread_([this] { run(); }) {}

Discovery::~Discovery() {
  stop();
  thread_.join();
}

void Discovery::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
  }
  wake_.notify_all();
}

void Discovery::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void Discovery::resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = false;
    hurried_ = true;
  }
  wake_.notify_all();
}

void Discovery::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void Discovery::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (paused_) {
      wake_.wait(lock, [this] { return !paused_ || stopping_; });
      continue;
    }
    hurried_ = false;
    lock.unlock();
    read();
    lock.lock();
    const Milliseconds pause = last_ && last_->has_value() ? every_ : std::min(every_, again);
    wake_.wait_for(lock, pause, [this] { return hurried_ || stopping_; });
    if (hurried_) wake_.wait_for(lock, crowd, [this] { return stopping_; });
  }
}

void Discovery::read() {
  Read found;
  try {
    found = source_->read();
  } catch (const std::exception& error) {
    found = tl::unexpected(std::string("the source threw: ") + error.what());
  } catch (...) {
    found = tl::unexpected(std::string("the source threw"));
  }
  if (last_ && same(*last_, found)) return;
  last_ = found;
  changed_(std::move(found));
}

}  // namespace tenure::poll
