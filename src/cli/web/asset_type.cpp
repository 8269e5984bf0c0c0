#include "cli/web/assets.hpp"

namespace tenure::cli {

std::string_view type_of(const Asset& asset) {
  if (asset.name.ends_with(".html")) return "text/html; charset=utf-8";
  if (asset.name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (asset.name.ends_with(".css")) return "text/css; charset=utf-8";
  if (asset.name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace tenure::cli
