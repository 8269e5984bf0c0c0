// The program with --http, in tests: started on a free port, and asked there.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/tenure_program.hpp"
#include "support/http_client.hpp"

namespace tenure::test {

class ServingTenure {
 public:
  // The words with --http 0 behind the first of them.
  explicit ServingTenure(Words words, const std::string& address = "127.0.0.1:0") {
    words.insert(words.begin() + 1, {"--http", address});
    process_ = start_tenure(std::move(words));
    const std::string mark = "http://";
    std::string said;
    const bool serves = wait_until([&] {
      said = process_->err() + process_->out();
      return has(said, mark) && said.find_first_of("\n\"", said.find(mark)) != std::string::npos;
    });
    if (!serves) throw std::runtime_error("it does not say where it serves, but: " + said);
    const auto from = said.find(':', said.find(mark) + mark.size()) + 1;
    port_ = static_cast<std::uint16_t>(std::stoul(said.substr(from)));
  }

  std::uint16_t port() const { return port_; }
  Process& process() const { return *process_; }

  HttpAnswer get(const std::string& path, const std::string& headers = "Host: 127.0.0.1\r\n") const {
    return HttpClient(port_).get(path, headers);
  }
  // Until it answers so.
  bool comes_to(const std::string& path, int status, const std::string& part = "") const {
    return wait_until(
        [&] {
          const auto answer = get(path);
          return answer.status == status && has(answer.body, part);
        },
        std::chrono::seconds(20));
  }

 private:
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
};

}  // namespace tenure::test
