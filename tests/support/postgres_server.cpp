#include "support/postgres_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "support/wait.hpp"

namespace tenure::test {
namespace {

constexpr int port_attempts = 20;
constexpr std::array<std::uint16_t, 3> everybodys_ports{5432, 6379, 6432};
constexpr std::uint16_t socket_port_default = 5432;
constexpr std::chrono::seconds start_max{60};
constexpr std::chrono::seconds stop_max{30};

// Sends a signal to all that work in a directory until each of them shows its effect. The server's own user asks: root
// in a container may not see where the process of another user works.
constexpr auto send_script = R"(
directory=$1 signal=$2
pending() {
  for process in /proc/[0-9]*; do
    [ "$process/cwd" -ef "$directory" ] || [ "$process/cwd" -ef "$directory/data" ] || continue
    read -r _ _ state _ <"$process/stat" || continue
    case $signal$state in
      STOPT | CONT[!T]) ;;
      *) echo "${process#/proc/}" ;;
    esac
  done 2>/dev/null
}
while processes=$(pending) && [ -n "$processes" ]; do
  kill -s "$signal" $processes 2>/dev/null
  sleep 0.005
done
)";

// Ends all that works in a directory, then removes it. What does not end within two seconds is killed; PostgreSQL then
// leaves a segment of shared memory, which it names in the seventh line of a file.
constexpr auto end_script = R"(
directory=$1
all() {
  for process in /proc/[0-9]*; do
    if [ "$process/cwd" -ef "$directory" ] || [ "$process/cwd" -ef "$directory/data" ]; then
      echo "${process#/proc/}"
    fi
  done
}
rounds=0
while processes=$(all) && [ -n "$processes" ]; do
  case $rounds in
    0) kill -s QUIT $processes; kill -s CONT $processes ;;
    [2-9]?? | ????*) kill -s KILL $processes ;;
  esac
  rounds=$((rounds + 1))
  sleep 0.01
done 2>/dev/null
segment=$(sed -n '7s/.* //p' "$directory/data/postmaster.pid" 2>/dev/null)
if [ -n "$segment" ]; then ipcrm --shmem-id "$segment" 2>/dev/null; fi
rm -rf "$directory"
)";

std::runtime_error trouble(const std::string& what) {
  return std::runtime_error(what + ": " + std::generic_category().message(errno));
}

// Who runs the servers of root, which refuse to run as root.
const passwd& server_user() {
  for (const auto* name : {"postgres", "nobody"}) {
    if (const passwd* user = getpwnam(name); user != nullptr) return *user;
  }
  throw std::runtime_error(
      "there is neither a user postgres nor nobody, and as root PostgreSQL does not run");
}

// Takes the user and the signal for the death of the thread that starts it; the kernel forgets an older one when the user
// changes.
std::vector<std::string> as_server_user(const std::string& death_signal, std::vector<std::string> argv) {
  std::vector<std::string> all{"setpriv", "--pdeathsig=" + death_signal};
  if (geteuid() == 0) {
    const auto& user = server_user();
    all.insert(all.end(), {"--reuid=" + std::to_string(user.pw_uid), "--regid=" + std::to_string(user.pw_gid),
                           "--clear-groups"});
  }
  all.emplace_back("--");
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

// The newest of the system's: /usr/lib/postgresql/VERSION/bin. What is in PATH may be a wrapper of it.
std::filesystem::path find_programs() {
  std::filesystem::path found;
  int newest = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version > newest && access((entry.path() / "bin/initdb").c_str(), X_OK) == 0) {
      newest = version;
      found = entry.path() / "bin";
    }
  }
  if (!found.empty()) return found;
  std::istringstream folders(std::getenv("PATH") == nullptr ? "/usr/bin" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/initdb").c_str(), X_OK) == 0) return folder;
  }
  throw std::runtime_error("there is no initdb, neither under /usr/lib/postgresql nor in PATH");
}

std::string program(const std::string& name) {
  static const auto programs = find_programs();
  return programs / name;
}

// An exclusive lock of a directory, held until the descriptor is closed.
int lock_directory(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) throw trouble("cannot open " + path.string());
  while (flock(descriptor, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const auto error = trouble("cannot lock " + path.string());
    close(descriptor);
    throw error;
  }
  return descriptor;
}

class Lock {
 public:
  explicit Lock(const std::filesystem::path& directory) : descriptor_(lock_directory(directory)) {}
  ~Lock() { close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

// How the template is made. Nothing of it is on the disk before all of it is: see make_template().
const std::vector<std::string>& initdb_options() {
  static const std::vector<std::string> options{"--no-sync", "-A",      "trust", "-E",      "UTF8",
                                                "--locale",  "C.UTF-8", "-U",    "postgres"};
  return options;
}
// A database is about 300 files, which each server copies and removes. So there are only two: the database postgres
// becomes that of tenure, and template1 stays for those that a test creates.
constexpr auto first_statements =
    "CREATE ROLE tenure LOGIN;\n"
    "ALTER DATABASE postgres RENAME TO tenure;\n"
    "ALTER DATABASE tenure OWNER TO tenure;\n"
    "ALTER DATABASE template0 IS_TEMPLATE false;\n"
    "DROP DATABASE template0;\n";

void make_template(const std::filesystem::path& to) {
  const ServerDirectory home("postgres");
  const std::string data = home.path() / "data";
  std::vector<std::string> initdb{program("initdb"), "-D", data};
  initdb.insert(initdb.end(), initdb_options().begin(), initdb_options().end());
  home.run(initdb);
  home.run({program("postgres"), "--single", "-F", "-D", data, "-c", "exit_on_error=true", "template1"},
           first_statements);
  home.run({program("initdb"), "--sync-only", "-D", data});
  std::filesystem::rename(data, to);
}

// Where the template of this machine's user is: in a directory for each version and each way to make it.
std::filesystem::path template_directory(const ServerDirectory& home) {
  static const std::string version = home.run({program("postgres"), "--version"});
  std::string recipe = version + first_statements + std::to_string(geteuid() == 0 ? server_user().pw_uid : 0);
  for (const auto& option : initdb_options()) recipe += option + "\n";
  const auto digit =
      std::find_if(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
  const int major = std::atoi(version.c_str() + (digit - version.begin()));
  std::ostringstream name;
  name << "/tmp/tenure-pg-template-" << geteuid() << '-' << major << '-' << std::hex
       << std::hash<std::string>()(recipe);
  return name.str();
}

// The data of a new server with the role and the database tenure, to be copied. Whoever comes first makes it.
std::filesystem::path template_data(const ServerDirectory& home) {
  const auto directory = template_directory(home);
  const auto data = directory / "data";
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
    throw trouble("cannot make " + directory.string());
  struct stat status{};
  if (lstat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    throw std::runtime_error(directory.string() + " is not a directory of ours: remove it");
  const Lock lock(directory);
  // Whatever the umask is, the server's user reads it, and nobody else writes there.
  chmod(directory.c_str(), 0755);
  // What cleans up /tmp may have taken its files and left the directories.
  if (std::filesystem::exists(data / "global/pg_control")) return data;
  std::filesystem::remove_all(data);
  make_template(data);
  return data;
}

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')) {
      result += c;
    } else {
      result += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return result;
}

std::vector<std::string> base_backup(const PostgresServer& of, const std::string& to) {
  return {program("pg_basebackup"),
          "-D",
          to,
          "-X",
          "stream",
          "--checkpoint=fast",
          "--no-sync",
          "-h",
          of.directory(),
          "-p",
          std::to_string(of.socket_port()),
          "-U",
          "postgres"};
}

}  // namespace

std::string postgres_query(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()), PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(sql + ": " + PQerrorMessage(connection.get()));
  if (PQntuples(result.get()) == 0 || PQnfields(result.get()) == 0) return "";
  return PQgetvalue(result.get(), 0, 0);
}

std::uint16_t free_server_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!bound) throw std::runtime_error("no free port on 127.0.0.1");
  const auto port = ntohs(address.sin_port);
  const bool everybodys =
      std::find(everybodys_ports.begin(), everybodys_ports.end(), port) != everybodys_ports.end();
  return everybodys ? free_server_port() : port;
}

ServerDirectory::ServerDirectory(std::string_view name) {
  // Under /tmp whatever TMPDIR says: the path of a Unix socket may have only 107 bytes.
  std::string path = "/tmp/tenure-" + std::string(name) + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw trouble("cannot make a directory under /tmp");
  path_ = path;
  try {
    if (geteuid() == 0 && chown(path.c_str(), server_user().pw_uid, server_user().pw_gid) != 0)
      throw trouble("cannot give " + path + " away");
    lock_ = lock_directory(path_);
    // It outlives the test, and gets the lock when the last thread of the test has ended, however that came about.
    guard_ = std::make_unique<Process>(
        as_server_user("clear", {"flock", "--no-fork", path, "sh", "-c", end_script, "sh", path}),
        Process::Options{.directory = "/"});
  } catch (...) {
    if (lock_ >= 0) close(lock_);
    std::filesystem::remove_all(path_);
    throw;
  }
}

ServerDirectory::~ServerDirectory() {
  close(lock_);
  guard_->wait(stop_max);
  // What the test itself has put there as root is left.
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::unique_ptr<Process> ServerDirectory::start(std::vector<std::string> argv) const {
  return std::make_unique<Process>(as_server_user("QUIT", std::move(argv)),
                                   Process::Options{.directory = path_});
}

std::string ServerDirectory::run(std::vector<std::string> argv, const std::string& input) const {
  const Process process(as_server_user("QUIT", argv), Process::Options{.input = input, .directory = path_});
  if (process.exit_code(start_max) != 0)
    throw std::runtime_error(argv.front() + " fails:\n" + process.out() + process.err());
  return process.out();
}

void ServerDirectory::send(const std::string& signal) const {
  // It works elsewhere, or it would send the signal to itself.
  const Process sender(as_server_user("KILL", {"sh", "-c", send_script, "sh", path_, signal}),
                       Process::Options{.directory = "/"});
  if (sender.exit_code(stop_max) != 0)
    throw std::runtime_error("cannot send " + signal + ": " + sender.err());
}

PostgresServer::PostgresServer() : PostgresServer(Options{}) {}

PostgresServer::PostgresServer(Options options) : options_(std::move(options)) {
  if (options_.replica_of != nullptr) {
    options_.trust = options_.replica_of->options_.trust;
    options_.password = options_.replica_of->options_.password;
  }
  make_data();
  if (options_.identity) take_identity();
  start();
  if (options_.replica_of != nullptr) {
    wait_until_it_streams();
  } else if (!options_.trust) {
    execute("ALTER ROLE tenure PASSWORD $password$" + options_.password + "$password$");
  }
}

void PostgresServer::make_data() const {
  const std::string data = home_.path() / "data";
  if (options_.replica_of != nullptr) {
    auto copy = base_backup(*options_.replica_of, data);
    copy.emplace_back("-R");
    home_.run(std::move(copy));
    return;
  }
  home_.run({"cp", "-a", "--reflink=auto", template_data(home_), data});
  if (options_.trust) return;
  // Written over, so that it still belongs to the server's user.
  std::ofstream(data + "/pg_hba.conf") << "local all postgres trust\n"
                                          "local replication postgres trust\n"
                                          "local all all scram-sha-256\n"
                                          "host all all 127.0.0.1/32 scram-sha-256\n";
}

// Read by the test and written by the server's user, to whom alone the key may belong.
void PostgresServer::take_identity() const {
  const auto copy = [this](const std::string& from, const std::string& to) {
    std::ostringstream text;
    text << std::ifstream(from).rdbuf();
    home_.run({"sh", "-c", "umask 077 && cat >data/" + to}, text.str());
  };
  copy(options_.identity->certificate_file, "server.crt");
  copy(options_.identity->key_file, "server.key");
}

void PostgresServer::wait_until_it_streams() const {
  const auto streams = [this] { return query("SELECT status FROM pg_stat_wal_receiver") == "streaming"; };
  if (!wait_until(streams, start_max)) throw std::runtime_error("the replica does not stream:\n" + log());
}

void PostgresServer::start() {
  const bool keep_port = port_ != 0;
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    if (options_.tcp && !keep_port) port_ = free_server_port();
    if (launch()) return;
  }
  throw std::runtime_error("port " + std::to_string(port_) + " stays taken");
}

bool PostgresServer::launch() {
  std::vector<std::string> argv{program("postgres"), "-D", home_.path() / "data"};
  // Shared memory is kept in files of the directory, so that a killed server leaves none of it in /dev/shm. What a server
  // that was killed first writes to the disk is the same by syncfs, but not file by file, which takes seconds.
  // And a replica that has lost its primary looks for it more often than every five seconds.
  std::vector<std::string> settings{options_.tcp ? "listen_addresses=127.0.0.1" : "listen_addresses=",
                                    "port=" + std::to_string(socket_port()),
                                    "unix_socket_directories=" + home_.path().string(),
                                    "dynamic_shared_memory_type=mmap",
                                    "recovery_init_sync_method=syncfs",
                                    "wal_retrieve_retry_interval=100ms",
                                    "shared_buffers=16MB",
                                    "max_connections=120",
                                    "max_wal_senders=4"};
  if (options_.identity) settings.emplace_back("ssl=on");
  if (options_.archives) {
    settings.insert(settings.end(),
                    {"archive_mode=on", "archive_command=mkdir -p ../archive && cp %p ../archive/%f"});
  }
  settings.insert(settings.end(), options_.settings.begin(), options_.settings.end());
  for (auto& setting : settings) argv.insert(argv.end(), {"-c", std::move(setting)});
  process_ = home_.start(std::move(argv));
  const bool up = wait_until([this] { return !process_->running() || ready(); }, start_max);
  if (up && process_->running()) return true;
  const std::string said = log();
  kill();
  if (said.find("Address already in use") != std::string::npos) return false;
  throw std::runtime_error("PostgreSQL does not start:\n" + said);
}

// What pg_ctl looks at: the postmaster's own file, which names its pid first and its state in the eighth line.
bool PostgresServer::ready() const {
  std::ifstream file(home_.path() / "data/postmaster.pid");
  std::array<std::string, 8> lines;
  for (auto& line : lines) std::getline(file, line);
  return lines.front() == std::to_string(pid()) && lines.back().starts_with("ready");
}

std::string PostgresServer::url() const {
  return url_of(options_.trust ? "tenure" : "tenure:" + percent_encoded(options_.password));
}

std::string PostgresServer::url_of(std::string_view user_info, std::string_view database) const {
  const std::string who = "postgresql://" + std::string(user_info) + "@";
  if (port_ != 0) return who + "127.0.0.1:" + std::to_string(port_) + "/" + std::string(database);
  return who + "/" + std::string(database) + "?host=" + directory().string() +
         "&port=" + std::to_string(socket_port());
}

std::uint16_t PostgresServer::socket_port() const { return port_ == 0 ? socket_port_default : port_; }

pid_t PostgresServer::pid() const { return process_ ? process_->pid() : -1; }

std::string PostgresServer::log() const { return process_ ? process_->out() + process_->err() : ""; }

std::string PostgresServer::query(const std::string& sql) const {
  return postgres_query("postgresql://postgres@/tenure?host=" + directory().string() +
                            "&port=" + std::to_string(socket_port()) + "&connect_timeout=10",
                        sql);
}

void PostgresServer::pause() { home_.send("STOP"); }

void PostgresServer::resume() { home_.send("CONT"); }

void PostgresServer::kill() {
  home_.send("KILL");
  process_.reset();
}

void PostgresServer::stop(int signal) {
  if (!process_) return;
  resume();
  process_->send(signal);
  if (!process_->wait(stop_max)) throw std::runtime_error("PostgreSQL does not stop:\n" + log());
  process_.reset();
}

void PostgresServer::stop_fast() { stop(SIGINT); }

void PostgresServer::stop_immediate() { stop(SIGQUIT); }

void PostgresServer::restart() {
  kill();
  start();
}

std::string PostgresServer::dump() const {
  return home_.run({program("pg_dump"), "--schema=tenure", url_of("postgres")});
}

void PostgresServer::restore(const std::string& dump) const {
  home_.run({program("psql"), "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", url_of("postgres")},
            dump);
}

void PostgresServer::promote() {
  if (query("SELECT pg_promote(true)") != "t") throw std::runtime_error("cannot promote:\n" + log());
}

void PostgresServer::return_as_replica_of(const PostgresServer& primary) {
  // By its last checkpoint pg_rewind knows on which timeline the other is.
  primary.execute("CHECKPOINT");
  // If it was killed, it recovers first, by the settings in its files alone, and must not throw away what pg_rewind reads.
  home_.run({"sh", "-c", "printf 'wal_log_hints = on\\nwal_keep_size = 1GB\\n' >>data/postgresql.conf"});
  home_.run({program("pg_rewind"), "--target-pgdata=" + (home_.path() / "data").string(),
             "--source-server=host=" + primary.directory().string() +
                 " port=" + std::to_string(primary.socket_port()) + " user=postgres dbname=tenure",
             "--write-recovery-conf", "--no-sync"});
  start();
  wait_until_it_streams();
}

void PostgresServer::back_up() const {
  home_.run({"rm", "-rf", "backup"});
  home_.run(base_backup(*this, home_.path() / "backup"));
}

void PostgresServer::create_restore_point(const std::string& name) const {
  const std::string segment = query("SELECT pg_walfile_name(pg_create_restore_point('" + name + "'))");
  execute("SELECT pg_switch_wal()");
  const std::string is_archived = "SELECT last_archived_wal >= '" + segment + "' FROM pg_stat_archiver";
  if (!wait_until([&] { return query(is_archived) == "t"; }, start_max))
    throw std::runtime_error(segment + " is not archived:\n" + log());
}

void PostgresServer::recover_to(const std::string& restore_point) {
  kill();
  home_.run({"sh", "-c", R"(
rm -rf data && cp -a backup data && touch data/recovery.signal
printf '%s\n' "restore_command = 'cp ../archive/%f %p'" "recovery_target_name = '$0'" \
  "recovery_target_action = promote" >>data/postgresql.conf)",
             restore_point});
  start();
  if (!wait_until([this] { return query("SELECT pg_is_in_recovery()") == "f"; }, start_max))
    throw std::runtime_error("it does not recover:\n" + log());
}

}  // namespace tenure::test
