#include "http/access.hpp"

#include "http/host_check.hpp"
#include "http/token.hpp"

namespace tenure::http {

Access::Verdict Access::admit(const Headers& headers) const {
  if (!token.empty() && shows_token(headers.authorization, token)) return Verdict::trusted;
  if (!is_own_host(headers.host, listens, own_name)) return Verdict::wrong_host;
  // It could not read the answer, but could let us look at whatever it names.
  if (headers.fetch_site == "cross-site" || headers.fetch_site == "same-site") return Verdict::foreign_page;
  return token.empty() ? Verdict::trusted : Verdict::everybody;
}

}  // namespace tenure::http
