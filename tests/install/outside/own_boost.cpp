// What somebody with a Boost.JSON of their own would write: it is compiled into the program, and Tenure has one inside.
#include <boost/json/src.hpp>
#include <iostream>
#include <tenure/tenure.hpp>

int main(int argc, char** argv) {
  tenure::StoredSessionsOptions options;
  if (argc > 1) options.url = argv[1];
  const auto source = tenure::stored_sessions(options);
  if (!source) {
    std::cerr << source.error().message << '\n';
    return 1;
  }
  const auto sessions = (*source)->read();
  if (!sessions) {
    std::cerr << sessions.error() << '\n';
    return 1;
  }
  boost::json::object addresses;
  for (const auto& session : sessions->good) addresses[session.id] = session.address;
  std::cout << addresses << '\n';
  return 0;
}
