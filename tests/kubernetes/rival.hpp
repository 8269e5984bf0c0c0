// Two kinds of candidates on one Lease: Tenure's own, and leader election as client-go has it. Each is a process, and says when it leads.
#pragma once

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/stores/real_server.hpp"

namespace tenure::test {

// It surely led at these moments, by the boot clock.
struct Led {
  core::Time from{};
  core::Time until{};
};

class Rival {
 public:
  virtual ~Rival() = default;
  virtual bool leads() const = 0;
  // When it surely led, as far as it can be held against it: until it was told to stop, killed or paused, where it says nothing itself.
  virtual std::vector<Led> led() const = 0;
  virtual std::string kind() const = 0;
  Process& process() { return *process_; }
  // What was done to it, and since when.
  void act(int signal) {
    acted_ = runtime::boot_now();
    process_->send(signal);
  }

 protected:
  explicit Rival(std::vector<std::string> argv, const std::string& kubeconfig)
      : process_(std::make_unique<Process>(std::move(argv), options(kubeconfig))) {}
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    const std::string all = process_->out();
    std::istringstream text(all.substr(0, all.rfind('\n') + 1));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  std::unique_ptr<Process> process_;
  std::optional<core::Time> acted_{};

 private:
  static Process::Options options(const std::string& kubeconfig) {
    Process::Options made;
    made.environment = {"KUBECONFIG=" + kubeconfig};
    return made;
  }
};

// candidate_process/main.cpp, linked with Kubernetes.
class TenureRival : public Rival {
 public:
  TenureRival(const std::string& lease, const std::string& id, const std::string& kubeconfig,
              std::chrono::milliseconds length)
      : Rival({TENURE_KUBERNETES_CANDIDATE, id, lease, std::to_string(length.count()), "60000",
               "kubernetes://"},
              kubeconfig) {}
  bool leads() const override {
    int elected = 0;
    for (const auto& line : lines())
      elected += line.starts_with("elected ") ? 1 : line.starts_with("lost ") ? -1 : 0;
    return elected > 0;
  }
  // It looks every few milliseconds: also after it was paused, when nothing is forgiven.
  std::vector<Led> led() const override {
    std::vector<Led> all;
    for (const auto& line : lines()) {
      if (!line.starts_with("leads ")) continue;
      std::istringstream words(line.substr(6));
      std::uint64_t term = 0;
      std::int64_t before = 0;
      std::int64_t after = 0;
      words >> term >> before >> after;
      all.push_back({core::Time(core::Duration(before)), core::Time(core::Duration(after))});
    }
    return all;
  }
  std::string kind() const override { return "Tenure"; }
};

// It gives the Lease back before it says that it has stopped, and thinks that it leads for a moment after a pause: neither is held against it.
class ClientGoRival : public Rival {
 public:
  ClientGoRival(const std::string& lease, const std::string& name_space, const std::string& id,
                const std::string& kubeconfig)
      : Rival({real_program("client-go-elector"), lease, name_space, id, kubeconfig}, kubeconfig) {}
  bool leads() const override {
    int leading = 0;
    for (const auto& line : lines())
      leading += line.starts_with("leading ") ? 1 : line.starts_with("stopped ") ? -1 : 0;
    return leading > 0;
  }
  std::vector<Led> led() const override {
    std::optional<Led> led;
    for (const auto& line : lines()) {
      if (line.starts_with("leading ")) led = Led{boot_time(line.substr(8)), runtime::boot_now()};
      if (line.starts_with("stopped ") && led) led->until = boot_time(line.substr(8));
    }
    if (!led) return {};
    if (acted_ && *acted_ < led->until) led->until = *acted_;
    return {*led};
  }
  std::string kind() const override { return "client-go"; }

 private:
  // It knows the wall clock alone, which nobody sets in this test.
  static core::Time boot_time(const std::string& unix_nanoseconds) {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return runtime::boot_now() - std::chrono::duration_cast<core::Duration>(wall) +
           core::Duration(std::stoll(unix_nanoseconds));
  }
};

}  // namespace tenure::test
