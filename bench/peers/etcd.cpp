// etcd's lock service as a peer of the benchmark: peer-etcd URL.
//
// It is reached through etcd's own JSON gateway, on connections that stay open: a client that speaks gRPC saves the hop
// inside the server, but not the write to the disk that every acquire and release waits for. A lock belongs to a lease,
// which a caller takes once. A waiter waits in the server's own queue: it watches the one before it, and where etcd has
// not yet taken up that watch when the other goes, it hears of it by a round that the server makes every 100 ms.
#include <curl/curl.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "peers/serve.hpp"

namespace tenure::bench::peers {

namespace {

constexpr int ttl = 30;  // seconds
constexpr int ttl_held = 60;
constexpr int connections = 16;  // that renew leases at the same time

std::string base64(std::string_view text) {
  constexpr std::string_view signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string coded;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      bits = bits << 8U | (k < text.size() ? static_cast<unsigned char>(text[k]) : 0U);
    for (unsigned k = 0; k < 4; ++k)
      coded += i + k <= text.size() ? signs[bits >> (18U - 6U * k) & 63U] : '=';
  }
  return coded;
}

// The text of a field; etcd writes whole numbers as text, too, and none of these values has a quotation mark.
std::string field(const std::string& answer, const std::string& name) {
  const std::string mark = "\"" + name + "\":\"";
  const auto from = answer.find(mark);
  if (from == std::string::npos) throw std::runtime_error("no " + name + " in: " + answer);
  return answer.substr(from + mark.size(), answer.find('"', from + mark.size()) - from - mark.size());
}

// One connection that stays open.
class Gateway {
 public:
  explicit Gateway(std::string url) : url_(std::move(url)), curl_(curl_easy_init(), curl_easy_cleanup) {
    curl_easy_setopt(curl_.get(), CURLOPT_WRITEFUNCTION, &Gateway::on_text);
    curl_easy_setopt(curl_.get(), CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl_.get(), CURLOPT_NOSIGNAL, 1L);
  }
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  const std::string& post(const std::string& path, const std::string& body) {
    answer_.clear();
    curl_easy_setopt(curl_.get(), CURLOPT_URL, (url_ + path).c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    run();
    return answer_;
  }
  const std::string& get(const std::string& path) {
    answer_.clear();
    curl_easy_setopt(curl_.get(), CURLOPT_URL, (url_ + path).c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_HTTPGET, 1L);
    run();
    return answer_;
  }

  std::string grant(int seconds) {
    return field(post("/v3/lease/grant", R"({"TTL":)" + std::to_string(seconds) + "}"), "ID");
  }
  void revoke(const std::string& lease) { post("/v3/lease/revoke", R"({"ID":")" + lease + "\"}"); }
  void keep_alive(const std::string& lease) {
    // An unknown lease is answered as well, but has no time left.
    field(post("/v3/lease/keepalive", R"({"ID":")" + lease + "\"}"), "TTL");
  }
  // Waits until the name is owned; gives the key by which it is released.
  std::string lock(const std::string& name, const std::string& lease) {
    return field(post("/v3/lock/lock", R"({"name":")" + base64(name) + R"(","lease":")" + lease + "\"}"),
                 "key");
  }
  void unlock(const std::string& key) { post("/v3/lock/unlock", R"({"key":")" + key + "\"}"); }

 private:
  static std::size_t on_text(const char* text, std::size_t one, std::size_t size, void* self) {
    static_cast<Gateway*>(self)->answer_.append(text, one * size);
    return size;
  }
  void run() {
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) throw std::runtime_error("etcd: " + answer_);
  }

  std::string url_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  std::string answer_;
};

class EtcdLock : public Caller {
 public:
  explicit EtcdLock(const std::string& url) : gateway_(url) {}

  // A new lease for each block: between blocks it might have expired.
  void prepare() override {
    if (!lease_.empty()) gateway_.revoke(lease_);
    lease_ = gateway_.grant(ttl);
  }
  void acquire(int name) override { key_ = gateway_.lock("bench/" + std::to_string(name), lease_); }
  void release() override { gateway_.unlock(key_); }

 private:
  Gateway gateway_;
  std::string lease_;
  std::string key_;
};

class Etcd : public Backend {
 public:
  explicit Etcd(std::string url) : url_(std::move(url)) {
    for (int i = 0; i < connections; ++i) gateways_.push_back(std::make_unique<Gateway>(url_));
  }

  std::string version() override {
    return "etcd " + field(gateways_.front()->get("/version"), "etcdserver") +
           ", lock service by its JSON gateway";
  }
  std::unique_ptr<Caller> connect() override { return std::make_unique<EtcdLock>(url_); }

  bool hold(int count) override {
    leases_.resize(static_cast<std::size_t>(count));
    for_each([this](Gateway& gateway, std::size_t i) {
      leases_[i] = gateway.grant(ttl_held);
      gateway.lock("held/" + std::to_string(i), leases_[i]);
    });
    return true;
  }
  // etcd's own clients have one stream for all leases. The gateway stops reading a request when it begins to answer, so
  // that here each lease takes a request.
  void renew() override {
    for_each([this](Gateway& gateway, std::size_t i) { gateway.keep_alive(leases_[i]); });
  }
  // Its lock goes with a lease.
  void drop() override {
    for_each([this](Gateway& gateway, std::size_t i) { gateway.revoke(leases_[i]); });
    leases_.clear();
  }

 private:
  // On all connections at the same time, each lease on one of them.
  void for_each(const std::function<void(Gateway& gateway, std::size_t lease)>& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::string failure;
    std::vector<std::jthread> threads;
    for (const auto& gateway : gateways_) {
      threads.emplace_back([&] {
        try {
          for (std::size_t i = next++; i < leases_.size(); i = next++) work(*gateway, i);
        } catch (const std::exception& error) {
          const std::scoped_lock lock(mutex);
          failure = error.what();
        }
      });
    }
    threads.clear();
    if (!failure.empty()) throw std::runtime_error(failure);
  }

  std::string url_;
  std::vector<std::unique_ptr<Gateway>> gateways_;
  std::vector<std::string> leases_;
};

}  // namespace

}  // namespace tenure::bench::peers

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  tenure::bench::peers::Etcd etcd(argv[1]);
  return tenure::bench::peers::serve(etcd);
}
