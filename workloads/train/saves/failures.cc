#include "workloads/train/saves/failures.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

constexpr const char* kFile = "failure";

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): what a handler may touch
volatile std::sig_atomic_t is_told = 0;

constexpr const char* kInterface = "eth0";  // of each node

// Whether this process's network is that of a node of data/interconnect.sh, whose variable lists
// processes that hold one each: nothing else may lose its link.
bool is_on_linked_node() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
  const char* nodes = std::getenv("SCALESTUDY_LINKED_NODES");
  std::istringstream words(nodes == nullptr ? "" : nodes);
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/ns/net", error);
  std::string word;
  words >> word;  // cores of each
  while (words >> word) {
    if (!own.empty() && std::filesystem::read_symlink("/proc/" + word + "/ns/net", error) == own) {
      return true;
    }
  }
  return false;
}

// source: netdevice(7). errno tells why not.
bool take_interface_down() {
  const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, kInterface, sizeof(request.ifr_name) - 1);
  bool is_done = descriptor >= 0 && ::ioctl(descriptor, SIOCGIFFLAGS, &request) == 0;
  if (is_done) {
    request.ifr_flags = static_cast<short>(request.ifr_flags & ~IFF_UP);
    is_done = ::ioctl(descriptor, SIOCSIFFLAGS, &request) == 0;
  }
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return is_done;
}

// By the first rank of those that fail, and before any of them does.
void record_failure(std::size_t step,
                    const std::filesystem::path& folder,
                    const rank::World& world,
                    int writer) {
  if (world.rank() == writer) {
    write_failure(folder, {.step = step, .at_s = rank::now_s()});
  }
  world.barrier();
}

}  // namespace

std::optional<FailureRecord> read_failure(const std::filesystem::path& folder) {
  std::ifstream file(folder / kFile);
  FailureRecord record;
  const bool has_record = static_cast<bool>(file >> record.step >> record.at_s);
  if (double known_s = 0.0; has_record && file >> known_s) {
    record.known_s = known_s;
  }
  if (file.bad()) {
    throw rank::WorkloadError(protocol::kExitFailed,
                              (folder / kFile).string() + ": cannot be read to its end");
  }
  return has_record ? std::optional(record) : std::nullopt;
}

void write_failure(const std::filesystem::path& folder, const FailureRecord& record) {
  std::array<char, 96> text{};
  std::snprintf(text.data(),
                text.size(),
                record.known_s ? "%zu %.17g %.17g\n" : "%zu %.17g\n",
                record.step,
                record.at_s,
                record.known_s.value_or(0.0));
  std::ofstream file(folder / kFile);
  if (!(file << text.data() << std::flush)) {
    throw rank::WorkloadError(
        protocol::kExitFailed,
        (folder / kFile).string() + ": cannot be written; give another save_dir");
  }
}

std::filesystem::path unwritable(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNoSpace:
      return "/dev/full";  // source: full(4)
    case FailureKind::kInputOutput:
      return "/proc/self/mem";  // nothing is mapped where writing begins; source: proc(5)
    default:
      return {};
  }
}

Victims victims_of(const Failure& failure, int ranks) {
  const int rank = static_cast<int>(failure.rank);
  if (failure.kind == FailureKind::kKillRank) {
    return {rank, rank};
  }
  const int node = failure.node_ranks == 0 ? ranks : static_cast<int>(failure.node_ranks);
  const int first = rank / node * node;
  return {first, std::min(first + node, ranks) - 1};
}

void kill_ranks(const Failure& failure,
                std::size_t step,
                const std::filesystem::path& folder,
                const rank::World& world) {
  const Victims victims = victims_of(failure, world.size());
  record_failure(step, folder, world, victims.first);
  if (world.rank() >= victims.first && world.rank() <= victims.last) {
    std::raise(SIGKILL);
  }
}

void take_link_down(const Failure& failure,
                    std::size_t step,
                    const std::filesystem::path& folder,
                    const rank::World& world) {
  if (!is_on_linked_node()) {
    throw rank::WorkloadError(protocol::kExitUnsupported,
                              "failure link_down ends an emulated link, and this rank has none; "
                              "give interconnect.bandwidth");
  }
  world.barrier();  // else some would wait in the one before it
  if (world.rank() != static_cast<int>(failure.rank)) {
    return;
  }
  const double at_s = rank::now_s();
  if (!take_interface_down()) {
    throw rank::WorkloadError(protocol::kExitUnsupported,
                              std::string(kInterface) + " cannot be taken down: " +
                                  std::generic_category().message(errno) +
                                  "; failure link_down needs root, or user namespaces");
  }
  write_failure(folder, {.step = step, .at_s = at_s});
}

void terminate(const Failure& failure,
               std::size_t step,
               const std::filesystem::path& folder,
               const rank::World& world,
               const std::function<void()>& save) {
  std::signal(SIGTERM, [](int /*signal*/) { is_told = 1; });
  record_failure(step, folder, world, 0);
  double whole = 0.0;
  const double part = std::modf(failure.notice_s, &whole);
  itimerval notice{};
  notice.it_value.tv_sec = static_cast<time_t>(whole);
  notice.it_value.tv_usec = std::max<suseconds_t>(static_cast<suseconds_t>(1e6 * part), 1);
  std::signal(SIGALRM, SIG_DFL);
  ::setitimer(ITIMER_REAL, &notice, nullptr);
  std::raise(SIGTERM);
  if (is_told != 0) {
    save();
  }
  throw rank::WorkloadError(128 + SIGTERM,
                            "ended by SIGTERM at step " + std::to_string(step) +
                                ", which is saved; another launch goes on from there");
}

}  // namespace scalestudy::train
