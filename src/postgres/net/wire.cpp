#include "postgres/net/wire.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "postgres/failure.hpp"

namespace tenure::postgres {

namespace {

// Row locks of tables, tid ranges and pipelines as we use them.
constexpr int oldest_server = 140'000;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

Rows rows_of(const PGresult* result) {
  Rows rows(static_cast<std::size_t>(PQntuples(result)));
  const int columns = PQnfields(result);
  for (int row = 0; row < PQntuples(result); ++row) {
    for (int column = 0; column < columns; ++column) {
      Value value;
      if (PQgetisnull(result, row, column) == 0) {
        value.emplace(PQgetvalue(result, row, column),
                      static_cast<std::size_t>(PQgetlength(result, row, column)));
      }
      rows[static_cast<std::size_t>(row)].push_back(std::move(value));
    }
  }
  return rows;
}

}  // namespace

void Wire::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

Wire::Wire(const Address& address) : address_(address) {}
Wire::~Wire() = default;

void Wire::dial() {
  close();
  hosts_.emplace(address_);
  number_ = runtime::next_connection();
}

void Wire::connect(const Hosts::Found& found) {
  // What stands behind the URL wins over it; an empty value is none.
  constexpr std::array<const char*, 7> keywords{
      "fallback_application_name", "dbname", "client_encoding", "host", "hostaddr", "port", nullptr};
  const bool none = found.hosts.empty();
  const std::array<const char*, 7> values{"tenure",
                                          address_.url.c_str(),
                                          "UTF8",
                                          none ? nullptr : found.hosts.c_str(),
                                          none ? nullptr : found.addresses.c_str(),
                                          none ? nullptr : found.ports.c_str(),
                                          nullptr};
  connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 1));
  polling_ = PGRES_POLLING_WRITING;
  number_ = runtime::next_connection();
  if (!connection_) return;
  // Errors come with their SQLSTATE, which says what they mean in every language.
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  // What the server says unasked, as at its end, libpq would write to the program's standard error.
  PQsetNoticeReceiver(connection_.get(), [](void*, const PGresult*) {}, nullptr);
}

tl::expected<bool, core::Failure> Wire::on_dialing() {
  const auto refused = [this] {
    auto failure = classify_connecting(printable(PQerrorMessage(connection_.get())));
    failure.applied = core::Applied::no;
    return tl::unexpected(std::move(failure));
  };
  if (hosts_) {
    const auto found = hosts_->find();
    if (!found) return false;
    if (!*found) {
      const core::Failure failure{core::Applied::no, core::FailureCode::unreachable, found->error()};
      hosts_.reset();
      return tl::unexpected(failure);
    }
    connect(**found);
    hosts_.reset();
  }
  if (!connection_ || PQstatus(connection_.get()) == CONNECTION_BAD) return refused();
  polling_ = PQconnectPoll(connection_.get());
  number_ = runtime::next_connection();  // it may have another socket by now, of the same number
  if (polling_ == PGRES_POLLING_FAILED) return refused();
  if (polling_ != PGRES_POLLING_OK) return false;
  if (PQserverVersion(connection_.get()) < oldest_server) {
    return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::unsupported,
                                        "Tenure needs PostgreSQL 14 or later"});
  }
  connected_ = true;
  if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1) {
    return tl::unexpected(lost());
  }
  return true;
}

void Wire::close() {
  hosts_.reset();
  connection_.reset();
  connected_ = false;
  remembers_ = false;
  statements_.clear();
  unsent_ = false;
  pending_.clear();
}

tl::expected<void, core::Failure> Wire::say(const Call& call) {
  std::vector<const char*> values;
  values.reserve(call.arguments.size());
  for (const Value& it : call.arguments) values.push_back(it ? it->c_str() : nullptr);
  const int count = static_cast<int>(values.size());
  bool sent = false;
  if (remembers_) {
    sent = prepared(call.statement) && PQsendQueryPrepared(connection_.get(), call.statement, count,
                                                           values.data(), nullptr, nullptr, 0) == 1;
  } else {
    sent = PQsendQueryParams(connection_.get(), call.statement, count, nullptr, values.data(), nullptr,
                             nullptr, 0) == 1;
  }
  // Each statement ends with a sync, so that it is a transaction of its own.
  if (!sent || PQpipelineSync(connection_.get()) != 1) return tl::unexpected(lost());
  unsent_ = true;
  return {};
}

// Under its own text as its name, which the server cuts to 63 bytes: ours differ before.
bool Wire::prepared(const char* statement) {
  if (std::ranges::find(statements_, statement) != statements_.end()) return true;
  statements_.push_back(statement);
  return PQsendPrepare(connection_.get(), statement, statement, 0, nullptr) == 1;
}

tl::expected<void, core::Failure> Wire::flush() {
  if (!unsent_) return {};
  const int left = PQflush(connection_.get());
  if (left < 0) return tl::unexpected(lost());
  unsent_ = left > 0;
  return {};
}

tl::expected<void, core::Failure> Wire::read(std::vector<Answer>& answers) {
  const bool sound = PQconsumeInput(connection_.get()) == 1;
  while (PQisBusy(connection_.get()) == 0) {
    const Result result(PQgetResult(connection_.get()), &PQclear);
    if (result) {
      take(result.get(), answers);
      continue;
    }
    // A null stands behind each statement; another one behind it: there is no more.
    const Result next(PQisBusy(connection_.get()) == 0 ? PQgetResult(connection_.get()) : nullptr, &PQclear);
    if (!next) break;
    take(next.get(), answers);
  }
  if (!sound || PQstatus(connection_.get()) == CONNECTION_BAD) return tl::unexpected(lost());
  return {};
}

void Wire::take(pg_result* result, std::vector<Answer>& answers) {
  switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC:
      // Committed, or rolled back after the error that is pending.
      if (!pending_.empty()) answers.push_back(std::move(pending_.front()));
      pending_.clear();
      break;
    case PGRES_TUPLES_OK:
      pending_.clear();
      pending_.emplace_back(rows_of(result));
      break;
    case PGRES_FATAL_ERROR: {
      // The first one says why. What is behind it, without a state, comes of libpq: the connection is lost.
      if (!pending_.empty() && !pending_.front()) break;
      pending_.clear();
      const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
      const char* words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
      const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
      core::Failure failure = state == nullptr ? lost() : classify(state, words == nullptr ? "" : words);
      // The server has fallen over it, perhaps behind the commit.
      if (severity != nullptr && std::string_view(severity) != "ERROR")
        failure.applied = core::Applied::perhaps;
      pending_.emplace_back(tl::unexpected(std::move(failure)));
      break;
    }
    default:
      if (pending_.empty()) pending_.emplace_back(Rows{});
      break;
  }
}

std::vector<std::string> Wire::messages() {
  std::vector<std::string> all;
  while (PGnotify* const it = connected() ? PQnotifies(connection_.get()) : nullptr) {
    all.emplace_back(it->extra);
    PQfreemem(it);
  }
  return all;
}

bool Wire::is_served_by(const Value& pid) const {
  return pid && core::read_number<int>(*pid) == PQbackendPID(connection_.get());
}

bool Wire::stirred() const {
  pollfd ready{PQsocket(connection_.get()), POLLIN, 0};
  return poll(&ready, 1, 0) > 0;
}

runtime::Awaited Wire::awaited() const {
  if (hosts_) return {hosts_->fd(), POLLIN, number_};
  if (!connection_) return {};
  const int fd = PQsocket(connection_.get());
  if (fd < 0) return {};
  const bool writes = connected_ ? unsent_ : polling_ == PGRES_POLLING_WRITING;
  const bool reads = connected_ || polling_ == PGRES_POLLING_READING;
  return {fd, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), number_};
}

core::Failure Wire::lost() const {
  // The last error of the server says more than that the connection is closed.
  if (!pending_.empty() && !pending_.front()) {
    core::Failure last = pending_.front().error();
    last.applied =
        core::Applied::perhaps;  // said of one statement, and nobody knows what became of those behind it
    return last;
  }
  const std::string said = connection_ ? printable(PQerrorMessage(connection_.get())) : "";
  core::Failure failure = classify_connecting(said);
  failure.applied = core::Applied::perhaps;
  if (failure.code == core::FailureCode::unreachable) failure.code = core::FailureCode::closed;
  return failure;
}

std::string Wire::printable(const char* message) const {
  return without_secrets(message == nullptr ? "" : message, address_);
}

}  // namespace tenure::postgres
