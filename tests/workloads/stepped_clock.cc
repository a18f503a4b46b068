// Loaded before a training program (LD_PRELOAD), gives its ranks a stepped clock: a thread's sleeps
// advance it, at once, and nothing else does. Ranks that meet in MPI go on at the time of the last
// of them, and a message arrives when it was sent. A trial of declared times has exactly these
// then, to the nanosecond, whatever else the machine does.
//
//   STEPPED_LATE_US    by how much each sleep ends late, us; absent: 0
//   STEPPED_READ_US    by how much each reading of the clock advances it, us; absent: 0
//   STEPPED_SPREAD_PM  sleeps of a trial take up to so many per mille longer than asked, by its
//                      number in the store; absent: 0
//   STEPPED_SLOW_CPU   sleeps of a process that may run on this CPU alone take four times as long;
//                      absent: none
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr int kClockTag = 4711;

// A collective that ranks begin one by one, or a message from another rank.
struct Meeting {
  std::int64_t at_ns = 0;                  // when the last rank began; when the message was sent
  MPI_Request request = MPI_REQUEST_NULL;  // for at_ns
  int from = -1;                           // the sender; -1: a collective
  int order = 0;                           // in which messages were asked for
};

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): the time
thread_local std::int64_t now_ns = kSecondNs;
thread_local bool is_polling = false;
thread_local std::int64_t polled_ns = 0;  // when what this thread polls for is complete
// When the message came that this thread was told of last, until it reads the clock.
thread_local std::optional<std::int64_t> arrival_ns;
std::map<MPI_Request, Meeting> meetings;  // of requests in flight; one thread calls MPI at a time
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void go_on_at(std::int64_t at_ns) {
  now_ns = std::max(now_ns, at_ns);
}

int meet(int status, MPI_Comm ranks) {
  PMPI_Allreduce(MPI_IN_PLACE, &now_ns, 1, MPI_INT64_T, MPI_MAX, ranks);
  return status;
}

int meet_later(int status, MPI_Comm ranks, MPI_Request request) {
  Meeting& meeting = meetings[request] = {.at_ns = now_ns};
  PMPI_Iallreduce(MPI_IN_PLACE, &meeting.at_ns, 1, MPI_INT64_T, MPI_MAX, ranks, &meeting.request);
  return status;
}

// Waits until it is known when the request's meeting is; nullptr where it has none.
Meeting* met(MPI_Request request) {
  const auto found = meetings.find(request);
  if (found == meetings.end()) {
    return nullptr;
  }
  PMPI_Wait(&found->second.request, MPI_STATUS_IGNORE);
  return &found->second;
}

// Whether a message comes before all others of its sender.
bool is_next(const Meeting& message) {
  return std::none_of(meetings.begin(), meetings.end(), [&](const auto& other) {
    return other.second.from == message.from && other.second.order < message.order;
  });
}

std::int64_t number_in(const char* variable, std::int64_t without) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? without : std::strtoll(text, nullptr, 10);
}

// How long sleeps take, over what was asked.
double slowness() {
  const auto cpu = static_cast<int>(number_in("STEPPED_SLOW_CPU", -1));
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  const bool is_slow = cpu >= 0 && CPU_COUNT(&allowed) == 1 && CPU_ISSET(cpu, &allowed);
  const char* const trial = std::getenv("SCALESTUDY_TRIAL");  // NOLINT(concurrency-mt-unsafe)
  const std::size_t hash = std::hash<std::string>()(trial == nullptr ? "" : trial);
  const double spread = 1e-3 * static_cast<double>(number_in("STEPPED_SPREAD_PM", 0));
  return (is_slow ? 4.0 : 1.0) * (1.0 + spread * static_cast<double>(hash % 1000) / 1000.0);
}

}  // namespace

// libstdc++'s, which C++ alone calls: MPI has the system's clock.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  static const std::int64_t reading_ns = 1000 * number_in("STEPPED_READ_US", 0);
  now_ns += reading_ns;
  const std::int64_t read_ns = arrival_ns.value_or(now_ns);
  arrival_ns.reset();
  return time_point(std::chrono::nanoseconds(read_ns));
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs
extern "C" {

// What std::this_thread::sleep_for() calls.
int nanosleep(const timespec* asked, timespec* /*left*/) {
  static const std::int64_t delay_ns = 1000 * number_in("STEPPED_LATE_US", 0);
  static const double factor = slowness();
  const std::int64_t asked_ns = asked->tv_sec * kSecondNs + asked->tv_nsec;
  now_ns += std::llround(factor * static_cast<double>(asked_ns)) + delay_ns;
  is_polling = false;
  return 0;
}
// What a rank calls between two looks for others, whose clocks say how long it waits.
int clock_nanosleep(clockid_t clock, int flags, const timespec* asked, timespec* left) {
  go_on_at(polled_ns);
  is_polling = true;
  return static_cast<int>(syscall(SYS_clock_nanosleep, clock, flags, asked, left));
}

int MPI_Barrier(MPI_Comm comm) {
  return meet(PMPI_Barrier(comm), comm);
}
int MPI_Allreduce(
    const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return meet(PMPI_Allreduce(send, receive, count, type, op, comm), comm);
}
int MPI_Reduce_scatter_block(
    const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return meet(PMPI_Reduce_scatter_block(send, receive, count, type, op, comm), comm);
}
int MPI_Reduce_scatter(const void* send,
                       void* receive,
                       const int counts[],
                       MPI_Datatype type,
                       MPI_Op op,
                       MPI_Comm comm) {
  return meet(PMPI_Reduce_scatter(send, receive, counts, type, op, comm), comm);
}
int MPI_Allgather(const void* send,
                  int send_count,
                  MPI_Datatype send_type,
                  void* receive,
                  int count,
                  MPI_Datatype type,
                  MPI_Comm comm) {
  return meet(PMPI_Allgather(send, send_count, send_type, receive, count, type, comm), comm);
}

int MPI_Iallreduce(const void* send,
                   void* receive,
                   int count,
                   MPI_Datatype type,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Request* request) {
  const int status = PMPI_Iallreduce(send, receive, count, type, op, comm, request);
  return meet_later(status, comm, *request);
}
int MPI_Ireduce_scatter_block(const void* send,
                              void* receive,
                              int count,
                              MPI_Datatype type,
                              MPI_Op op,
                              MPI_Comm comm,
                              MPI_Request* request) {
  const int status = PMPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request);
  return meet_later(status, comm, *request);
}
int MPI_Iallgather(const void* send,
                   int send_count,
                   MPI_Datatype send_type,
                   void* receive,
                   int count,
                   MPI_Datatype type,
                   MPI_Comm comm,
                   MPI_Request* request) {
  const int status =
      PMPI_Iallgather(send, send_count, send_type, receive, count, type, comm, request);
  return meet_later(status, comm, *request);
}

int MPI_Isend(const void* buffer,
              int count,
              MPI_Datatype type,
              int to,
              int tag,
              MPI_Comm comm,
              MPI_Request* request) {
  const int status = PMPI_Isend(buffer, count, type, to, tag, comm, request);
  PMPI_Send(&now_ns, 1, MPI_INT64_T, to, kClockTag, comm);
  return status;
}
int MPI_Irecv(void* buffer,
              int count,
              MPI_Datatype type,
              int from,
              int tag,
              MPI_Comm comm,
              MPI_Request* request) {
  const int status = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  static int order = 0;
  Meeting& meeting = meetings[*request] = {.from = from, .order = ++order};
  PMPI_Irecv(&meeting.at_ns, 1, MPI_INT64_T, from, kClockTag, comm, &meeting.request);
  return status;
}

// A collective whose last rank has begun it by the time of this one is complete. Ranks begin them
// in one order, so that to wait here for one that was begun holds nobody up for good.
int MPI_Test(MPI_Request* request, int* is_complete, MPI_Status* status) {
  const Meeting* const meeting = met(*request);
  if (meeting == nullptr) {
    return PMPI_Test(request, is_complete, status);
  }
  *is_complete = meeting->at_ns <= now_ns ? 1 : 0;
  if (*is_complete == 0) {
    polled_ns = meeting->at_ns;
    return MPI_SUCCESS;
  }
  meetings.erase(*request);
  return PMPI_Wait(request, status);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Meeting* const meeting = met(*request);
  if (meeting != nullptr) {
    go_on_at(meeting->at_ns);
    meetings.erase(*request);
  }
  return PMPI_Wait(request, status);
}

// Tells of one message at a time, and of none to a rank that does not wait for any: what such a one
// would see depends on the machine.
int MPI_Testsome(int count, MPI_Request* requests, int* told, int* indices, MPI_Status* statuses) {
  *told = 0;
  for (int i = 0; is_polling && i < count; ++i) {
    const auto message = meetings.find(requests[i]);
    const bool is_received = message != meetings.end();
    if (is_received && !is_next(message->second)) {
      continue;
    }
    int is_here = 0;
    PMPI_Test(is_received ? &message->second.request : &requests[i], &is_here, MPI_STATUS_IGNORE);
    if (is_received && is_here != 0) {
      arrival_ns = message->second.at_ns;
      meetings.erase(message);
      *told = 1;
      indices[0] = i;
      return PMPI_Wait(&requests[i], statuses);
    }
  }
  return MPI_SUCCESS;
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
