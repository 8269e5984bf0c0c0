#include "consul/net/talk.hpp"

#include "consul/failure.hpp"
#include "consul/http_date.hpp"

namespace tenure::consul {

namespace {

// Who asks gives up sooner; this is for what nobody gives up.
constexpr core::Duration answer_within = std::chrono::seconds(10);

tl::expected<TransactionAnswer, core::Failure> answer_of(const Talk::Answer& answer) {
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200 && answer->status != 409) {
    return tl::unexpected(classify(answer->status, answer->body));
  }
  return read_answer(answer->body);
}

}  // namespace

Talk::Awaiter Talk::call(Owner owner, std::string method, std::string target, std::string body) {
  http_client::HttpRequest request{std::move(method), std::move(target), {}, std::move(body), answer_within};
  if (!header_.empty()) request.headers.push_back(header_);
  return {*this, owner, std::move(request)};
}

Task<tl::expected<TransactionAnswer, core::Failure>> Talk::read(Owner owner, const Transaction& transaction) {
  // Without that an old leader could answer.
  Awaiter asked = call(owner, "PUT", "/v1/txn?consistent", transaction.text());
  const Answer answer = co_await asked;
  co_return answer_of(answer);
}

Task<tl::expected<TransactionAnswer, core::Failure>> Talk::write(Owner owner,
                                                                 const Transaction& transaction) {
  Awaiter asked = call(owner, "PUT", "/v1/txn", transaction.text());
  const Answer answer = co_await asked;
  co_return answer_of(answer);
}

void Talk::begin(Awaiter& awaiter, std::coroutine_handle<> handle) {
  last_ += 1;
  waiting_.emplace(last_, Waiting{awaiter.owner, &awaiter, handle});
  calls_.start(http_client::HttpCallId{last_}, std::move(awaiter.request));
}

void Talk::cancel(Owner owner) {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (it->second.owner != owner) {
      ++it;
      continue;
    }
    calls_.cancel(http_client::HttpCallId{it->first});
    it = waiting_.erase(it);
  }
}

void Talk::close() {
  waiting_.clear();
  calls_.close();
}

void Talk::on_ready() {
  std::vector<http_client::HttpNews> news;
  calls_.on_ready(news);
  for (http_client::HttpNews& it : news) {
    const auto found = waiting_.find(static_cast<std::uint64_t>(it.id));
    if (found == waiting_.end()) continue;  // whoever awaited it has gone meanwhile
    const Waiting waiting = found->second;
    waiting_.erase(found);
    if (it.answer) {
      const auto date = it.answer->headers.find("date");
      if (date != it.answer->headers.end()) server_ms_ = read_http_date(date->second).value_or(server_ms_);
    }
    waiting.awaiter->answer = std::move(it.answer);
    waiting.handle.resume();
  }
}

}  // namespace tenure::consul
