#include "cli/supervise/claim.hpp"

#include <utility>

#include "core/base/names.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

tl::expected<Claim, std::string> make_claim(const ClaimArgs& args) {
  if (auto error = core::name_error("the name", args.name)) return tl::unexpected(std::move(*error));
  if (args.lock_prefix) {
    if (auto error = core::name_error("the lock prefix", *args.lock_prefix))
      return tl::unexpected(std::move(*error));
  }
  std::string id = args.id.value_or(runtime::make_instance_id());
  if (auto error = core::name_error("the id", id)) return tl::unexpected(std::move(*error));
  auto chosen = choose_store(args.nodes);
  if (!chosen) return tl::unexpected(std::move(chosen.error()));
  const auto key = chosen->store->lock_key(args.lock_prefix.value_or(""), args.name);
  if (!key) return tl::unexpected(key.error());
  return Claim{std::move(id), std::move(*chosen)};
}

}  // namespace tenure::cli
