#include "postgres/grants.hpp"

namespace tenure::postgres {

namespace {

const char* grants_of(Use use) {
  switch (use) {
    case Use::leases:
      return "GRANT USAGE ON SCHEMA tenure TO @;\n"
             "GRANT SELECT, INSERT, UPDATE ON TABLE tenure.record TO @;\n"
             "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.lease TO @;\n"
             "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.waiter TO @;\n"
             "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.beat TO @;\n"
             "GRANT SELECT ON TABLE tenure.fleet TO @;\n"
             "GRANT SELECT, UPDATE ON SEQUENCE tenure.fence TO @;\n"
             "GRANT USAGE ON SEQUENCE tenure.place TO @;\n";
    case Use::fleets:
      return "GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE tenure.session TO @;\n"
             "GRANT SELECT, INSERT, UPDATE ON TABLE tenure.fleet TO @;\n"
             "GRANT SELECT, INSERT, UPDATE ON TABLE tenure.state TO @;\n";
    case Use::fencing:
      return "GRANT USAGE ON SCHEMA tenure TO @;\n"
             "GRANT SELECT (name, token, kept, ends), UPDATE (told) ON TABLE tenure.lease TO @;\n";
  }
  return "";
}

}  // namespace

std::string grants(Use use, const std::string& role) {
  std::string text = grants_of(use);
  for (auto at = text.find('@'); at != std::string::npos; at = text.find('@', at + role.size())) {
    text.replace(at, 1, role);
  }
  return text;
}

}  // namespace tenure::postgres
