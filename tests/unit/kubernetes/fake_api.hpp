// An API server with one Lease, in a test's hands: it keeps what it is given, and refuses changes of another version, as the real one does.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api_call.hpp"
#include "poll/json_text.hpp"

namespace tenure::kubernetes {

namespace json = poll::json;

// An API server with one Lease, in this test's hands.
class FakeServer {
 public:
  std::chrono::seconds date{1'795'000'000};
  std::uint64_t version = 1000;
  std::optional<json::object> lease{};

  ApiAnswer answer(const ApiCall& call) {
    calls.push_back(call.method);
    if (call.method == "GET" && call.target.find('?') != std::string::npos) {
      const std::string items = lease ? json::serialize(*lease) : "";
      return {
          200,
          R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("},"items":[)" + items + "]}",
          date};
    }
    if (call.method == "GET") return lease ? ApiAnswer{200, json::serialize(*lease), date} : status(404);
    auto body = poll::read_json(call.body).value().as_object();
    auto& metadata = body["metadata"].as_object();
    if (call.method == "POST") {
      if (lease) return status(409);
      metadata["uid"] = "uid-" + std::to_string(version);
    } else {
      if (!lease || lease->at("metadata").at("resourceVersion") != metadata.at("resourceVersion"))
        return status(409);
      EXPECT_EQ(metadata.at("uid"), lease->at("metadata").at("uid"));
    }
    metadata["resourceVersion"] = std::to_string(++version);
    lease = body;
    return {call.method == "POST" ? 201 : 200, json::serialize(*lease), date};
  }
  // As a client-go program writes: it knows nothing of annotations, and leaves them.
  void other_writes(const std::string& holder, std::int64_t length, const std::string& renewed) {
    if (!lease)
      lease = poll::read_json(R"({"metadata":{"name":"a","uid":"u"},"spec":{}})").value().as_object();
    auto& spec = lease->at("spec").as_object();
    spec["holderIdentity"] = holder;
    spec["leaseDurationSeconds"] = length;
    spec["renewTime"] = renewed;
    lease->at("metadata").as_object()["resourceVersion"] = std::to_string(++version);
  }
  std::string spec(const char* name) const { return json::serialize(lease->at("spec").at(name)); }

  std::vector<std::string> calls{};

 private:
  static ApiAnswer status(int code) {
    return {code, R"({"kind":"Status","message":"of the test"})", std::chrono::seconds(1)};
  }
};

}  // namespace tenure::kubernetes
