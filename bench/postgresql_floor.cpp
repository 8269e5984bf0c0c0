#include "postgresql_floor.hpp"

#include <stdexcept>
#include <string_view>

namespace tenure::bench {

namespace {

constexpr std::string_view lock_not_available = "55P03";

}  // namespace

PostgresFloor::PostgresFloor(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
}

void PostgresFloor::execute(const std::string& sql) {
  const Result result(PQexec(connection_.get(), sql.c_str()));
  checked(result.get(), "");
}

void PostgresFloor::prepare(const char* name, const std::string& sql) {
  const Result result(PQprepare(connection_.get(), name, sql.c_str(), 0, nullptr));
  checked(result.get(), "");
}

std::string PostgresFloor::call(const Prepared& it) {
  const int count = point_at(it.arguments);
  while (true) {
    const Result result(
        PQexecPrepared(connection_.get(), it.name, count, pointers_.data(), nullptr, nullptr, 0));
    // So long for a lock is a moment in which the disk is slow, as when 64 new rows make a table grow: whoever waits tries again.
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    if (state != nullptr && std::string_view(state) == lock_not_available) continue;
    return checked(result.get(), it.expected);
  }
}

void PostgresFloor::begin_pipeline() {
  if (PQenterPipelineMode(connection_.get()) != 1) fail();
}

void PostgresFloor::send(const Prepared& it) {
  const int count = point_at(it.arguments);
  const bool sent =
      PQsendQueryPrepared(connection_.get(), it.name, count, pointers_.data(), nullptr, nullptr, 0) == 1 &&
      PQpipelineSync(connection_.get()) == 1;
  if (!sent) fail();
}

void PostgresFloor::receive(const char* expected) {
  const Result result(PQgetResult(connection_.get()));
  checked(result.get(), expected);
  const Result end(PQgetResult(connection_.get()));
  const Result sync(PQgetResult(connection_.get()));
  if (end || PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) fail();
}

int PostgresFloor::point_at(const std::vector<postgres::Value>& arguments) {
  pointers_.clear();
  for (const postgres::Value& it : arguments) pointers_.push_back(it ? it->c_str() : nullptr);
  return static_cast<int>(pointers_.size());
}

std::string PostgresFloor::checked(const PGresult* result, const char* expected) const {
  const auto status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail();
  std::string given =
      PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : PQcmdTuples(const_cast<PGresult*>(result));
  if (!given.starts_with(expected)) throw std::runtime_error("the floor is given \"" + given + "\"");
  return given;
}

void PostgresFloor::fail() const { throw std::runtime_error(PQerrorMessage(connection_.get())); }

}  // namespace tenure::bench
