#include "poll/session_list.hpp"

#include <iterator>
#include <utility>

#include "core/base/duration_reader.hpp"

namespace tenure::poll {

SessionList::News SessionList::update(Sessions sessions) {
  News news;
  std::set<std::string> named;
  std::map<std::string, std::string> bad;
  for (auto& [id, why] : sessions.bad) bad.emplace(std::move(id), std::move(why));
  good_.clear();
  for (auto& session : sessions.good) {
    named.insert(session.id);
    core::DurationReader reader;
    reader.read_positive("its interval", session.interval);
    if (reader.error()) {
      bad.emplace(session.id, *reader.error());
      continue;
    }
    if (bad_.contains(session.id) && !bad.contains(session.id)) news.good.push_back(session.id);
    good_.push_back(std::move(session));
  }
  for (const auto& [id, why] : bad) {
    named.insert(id);
    const auto known = bad_.find(id);
    if (known == bad_.end() || known->second != why) news.bad.push_back({id, why});
  }
  bad_ = std::move(bad);
  std::erase_if(removed_, [&](const auto& id) { return !named.contains(id); });
  return news;
}

std::vector<Session> SessionList::active() const {
  std::vector<Session> active;
  for (const auto& session : good_) {
    if (!session.paused && !paused_.contains(session.id) && !removed_.contains(session.id))
      active.push_back(session);
  }
  return active;
}

}  // namespace tenure::poll
