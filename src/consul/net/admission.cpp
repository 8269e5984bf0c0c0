// Who is admitted knows the record, and is refused as soon as it is another one.
#include "consul/failure.hpp"
#include "consul/net/desk.hpp"
#include "core/base/text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::consul {

namespace {

// Others write records at the same time seldom, and never for long.
constexpr int tries_max = 8;

void stand_by(Desk& desk, StoredRecord stored, std::string text, Index index) {
  desk.admitted.push_back(stored.record);
  desk.standing = {std::move(stored), std::move(text), index};
}

core::Failure no_record(const Desk& desk, const Entry& found) {
  return {core::Applied::no, core::FailureCode::protocol,
          "what stands in the key " + desk.keys().record() +
              " is no record of Tenure: " + core::printable(found.value, 60)};
}

const core::Failure changing{core::Applied::no, core::FailureCode::busy,
                             "others are changing the record of this Consul"};

struct Found {
  core::Token seen = 0;  // before that was read: what is given meanwhile, it need not show
  std::optional<Entry> record{};
  std::optional<Entry> fence{};
  bool has_epoch = false;  // the key of that record's epoch is there

  const Entry* record_entry() const { return record ? &*record : nullptr; }
  const Entry* fence_entry() const { return fence ? &*fence : nullptr; }
};

Introduction introduction(Desk& desk, const Found& found, WentBack back) {
  const std::int64_t wall = runtime::wall_now_ms();
  const std::int64_t server = desk.talk.server_ms();
  return {desk.shared.place().terms,
          desk.shared.random().hex16(),
          wall,
          server == 0 ? wall : server,
          found.seen,
          back == WentBack::seen || (found.record && !found.has_epoch)};
}

Task<tl::expected<Found, core::Failure>> find(Desk& desk) {
  Transaction reads;
  reads.get(desk.keys().record()).get(desk.keys().fence()).get(desk.keys().epochs());
  const core::Token seen = desk.shared.seen();
  auto answer = co_await desk.talk.read(desk.owner, reads);
  if (!answer) co_return tl::unexpected(before_all(std::move(answer.error())));
  if (!answer->done()) {
    co_return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::no_permission,
                                           "Consul does not show the key " + desk.keys().record() + ": " +
                                               core::printable(answer->refused.front().what)});
  }
  Found found{.seen = seen};
  if (const Entry* record = answer->find(desk.keys().record())) found.record = *record;
  if (const Entry* fence = answer->find(desk.keys().fence())) found.fence = *fence;
  const auto stored = found.record ? read_record(found.record->value) : std::nullopt;
  found.has_epoch = stored && answer->find(desk.keys().epoch(stored->record.epoch)) != nullptr;
  co_return found;
}

// In the place of what was found. False: that is not there any more.
Task<tl::expected<bool, core::Failure>> replace(Desk& desk, const Found& found, const StoredRecord& made) {
  const std::string key = desk.keys().record();
  const std::string text = record_text(made);
  Transaction writes;
  if (found.record) {
    writes.check_index(key, found.record->modified);
    if (const auto stored = read_record(found.record->value); stored && found.has_epoch) {
      writes.check_present(desk.keys().epoch(stored->record.epoch));
    }
  } else {
    writes.check_absent(key);
  }
  writes.set(key, text);
  writes.remove_all(desk.keys().epochs()).set(desk.keys().epoch(made.record.epoch), "");
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer) co_return tl::unexpected(before_all(std::move(answer.error())));
  if (!answer->done()) {
    if (answer->refused.front().what.find("ermission denied") == std::string::npos) co_return false;
    co_return tl::unexpected(classify(403, answer->refused.front().what));
  }
  const Entry* written = answer->find_last(key);
  if (written == nullptr) co_return tl::unexpected(core::misfit);
  stand_by(desk, made, text, written->modified);
  co_return true;
}

}  // namespace

Task<Done> admit(Desk desk, WentBack back) {
  for (int tries = 0; tries < tries_max; ++tries) {
    auto found = co_await find(desk);
    if (!found) co_return tl::unexpected(std::move(found.error()));
    const auto made =
        consul::admit(found->record_entry(), found->fence_entry(), introduction(desk, *found, back));
    if (!made) {
      auto stored = read_record(found->record->value);
      if (!stored) co_return tl::unexpected(no_record(desk, *found->record));
      stand_by(desk, std::move(*stored), found->record->value, found->record->modified);
      co_return Done{};
    }
    const auto written = co_await replace(desk, *found, *made);
    if (!written) co_return tl::unexpected(written.error());
    if (*written) co_return Done{};
  }
  co_return tl::unexpected(changing);
}

Task<tl::expected<bool, core::Failure>> found(Desk desk) {
  for (int tries = 0; tries < tries_max; ++tries) {
    auto here = co_await find(desk);
    if (!here) co_return tl::unexpected(std::move(here.error()));
    const auto made =
        founded(here->record_entry(), here->fence_entry(), introduction(desk, *here, WentBack::unknown));
    if (!made) co_return false;
    const auto written = co_await replace(desk, *here, *made);
    if (!written) co_return tl::unexpected(written.error());
    if (*written) co_return true;
  }
  co_return tl::unexpected(changing);
}

Task<core::Reply> open(Desk desk, core::OpenRequest request) {
  for (int tries = 0; tries < tries_max; ++tries) {
    auto found = co_await find(desk);
    if (!found) co_return std::move(found.error());
    auto stored = found->record ? read_record(found->record->value) : std::nullopt;
    const bool this_one = stored && stored->record.terms == desk.shared.place().terms &&
                          stored->record.epoch == request.epoch && stored->record.made_ms == request.made_ms;
    if (!this_one) {
      auto done = co_await admit(desk);
      if (!done) co_return std::move(done.error());
      co_return core::NotOpen{desk.standing.found()};
    }
    if (stored->record.open) {
      stand_by(desk, std::move(*stored), found->record->value, found->record->modified);
      co_return core::Opened{};
    }
    const auto made =
        opened(std::move(*stored), found->fence_entry(), introduction(desk, *found, WentBack::unknown));
    const auto written = co_await replace(desk, *found, made);
    if (!written) co_return written.error();
    if (*written) co_return core::Opened{};
  }
  co_return changing;
}

}  // namespace tenure::consul
