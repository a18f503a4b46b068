#include "workloads/comm/shm_ranks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/comm/shm_sums.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/rank/world.h"

namespace scalestudy::comm {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a line of the cache

// How often a rank that waits looks before it offers its core: one that ranks share soon; its own
// after some 10 ms, longer than a time slice. What runs beside gives it back only after one, and
// two ranks that offer theirs in turn never meet (8 ms an operation beside a triad, in place of
// 0.04).
constexpr unsigned kSpins = 1000;
constexpr unsigned kOwnSpins = 2'000'000;

// Where other ranks find this one's memory.
struct Contact {
  std::int64_t process;
  std::int64_t file;
  std::uint64_t device;  // with the number that tells the file from all others
  std::uint64_t number;
  std::uint64_t board;  // its place
};

Contact own_contact(const device::SharedMemory& memory, const void* board) {
  struct stat found {};
  if (fstat(memory.file(), &found) != 0) {
    throw std::logic_error("shared memory has no file");
  }
  return {getpid(), memory.file(), found.st_dev, found.st_ino, memory.place_of(board)};
}

int open_memory(const Contact& contact, std::size_t rank) {
  const std::string path =
      "/proc/" + std::to_string(contact.process) + "/fd/" + std::to_string(contact.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);  // NOLINT(*-vararg): its signature
  const int wrong = errno;
  struct stat found {};
  const bool is_its = file >= 0 && fstat(file, &found) == 0 && found.st_dev == contact.device &&
                      found.st_ino == contact.number;
  if (!is_its) {
    if (file >= 0) {
      close(file);
    }
    throw rank::WorkloadError(
        protocol::kExitUnsupported,
        "comm shm reads the memory of rank " + std::to_string(rank) + " as " + path + ": " +
            (file < 0 ? std::generic_category().message(wrong) : "it is another file") +
            ". All ranks need one user and one namespace of processes; or use comm mpi");
  }
  return file;
}

void require_one_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  int here = 0;
  int all = 0;
  MPI_CHECK(MPI_Comm_size(machine, &here));
  MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &all));
  MPI_CHECK(MPI_Comm_free(&machine));
  int least = 0;
  MPI_CHECK(MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  if (least < all) {
    throw rank::WorkloadError(protocol::kExitUsage,
                              "comm shm sums in memory that all ranks share, but a machine has " +
                                  std::to_string(least) + " of the " + std::to_string(all) +
                                  " ranks; use comm mpi");
  }
}

std::size_t bytes_of(const Buffer& buffer) {
  return buffer.count * device::size_bytes(buffer.type);
}

// Nothing where both are the same.
void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (to != from && bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

// The buffers of one operation, in the rank's file.
struct ShmRanks::Places {
  std::size_t send;
  std::size_t receive;
};

struct alignas(kLine) ShmRanks::Board {
  std::atomic<std::uint64_t> started;
  alignas(kLine) std::atomic<std::uint64_t> moved;

  // Places of the operations in flight, a ring by number.
  Places* places() { return reinterpret_cast<Places*>(this + 1); }
};

// A rank's memory, seen from here.
struct ShmRanks::Peer {
  Peer(const Contact& contact, std::size_t rank, std::size_t board_bytes)
      : file(open_memory(contact, rank)),
        board_mapping(file, contact.board, board_bytes),
        board(reinterpret_cast<Board*>(board_mapping.data())) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(file); }

  // Its memory, of which at least so many bytes are asked for: it may have grown.
  std::byte* reach(std::size_t bytes) {
    if (!memory || bytes > memory->bytes()) {
      struct stat found {};
      fstat(file, &found);
      memory.emplace(file, 0, static_cast<std::size_t>(found.st_size));
    }
    return memory->data();
  }

  int file;
  device::Mapping board_mapping;
  Board* board;
  std::optional<device::Mapping> memory;  // all of it, once something of it is asked for
};

ShmRanks::ShmRanks(device::SharedMemory& memory, std::size_t most)
    : memory_(memory), transfers_(std::max<std::size_t>(most, 1)) {
  require_one_machine();
  takes_turns_ = rank::World().is_oversubscribed({1, rank::own_cores()});
  const std::size_t bytes = sizeof(Board) + transfers_.size() * sizeof(Places);
  // Never released: other ranks may still look at it when this one is through.
  board_ = new (memory.allocate(bytes)) Board{};
  const Contact own = own_contact(memory, board_);
  int size = 0;
  MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank_));
  std::vector<Contact> contacts(static_cast<std::size_t>(size));
  constexpr int count = static_cast<int>(sizeof(Contact));
  MPI_CHECK(MPI_Allgather(&own, count, MPI_CHAR, contacts.data(), count, MPI_CHAR, MPI_COMM_WORLD));
  for (std::size_t rank = 0; rank < contacts.size(); ++rank) {
    peers_.push_back(std::make_unique<Peer>(contacts[rank], rank, bytes));
  }
  sends_.resize(peers_.size());
  receives_.resize(peers_.size());
  MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD));  // a rank that is through closes its file
}

ShmRanks::~ShmRanks() = default;

std::uint64_t ShmRanks::start(const Transfer& transfer) {
  const std::uint64_t number = started_;
  if (number >= transfers_.size()) {
    wait(number - transfers_.size());
  }
  const std::size_t turn = number % transfers_.size();
  transfers_[turn] = transfer;
  board_->places()[turn] = {memory_.place_of(transfer.send.data),
                            memory_.place_of(transfer.receive.data)};
  // Sequentially consistent, as stores past the caches are not ordered by a release.
  board_->started.store(++started_);
  return number;
}

bool ShmRanks::test(std::uint64_t number) {
  while (moved_ < started_ && least(&Board::started) > moved_) {
    move(moved_);
    board_->moved.store(++moved_);
  }
  if (complete_ <= number && number < moved_) {
    complete_ = least(&Board::moved);
  }
  return number < complete_;
}

void ShmRanks::wait(std::uint64_t number) {
  const unsigned most = takes_turns_ ? kSpins : kOwnSpins;
  for (unsigned spins = 0; !test(number);) {
    if (++spins > most) {
      sched_yield();
    }
  }
}

std::uint64_t ShmRanks::least(std::atomic<std::uint64_t> Board::*count) const {
  std::uint64_t least = started_;
  for (const auto& peer : peers_) {
    least = std::min(least, (peer->board->*count).load(std::memory_order_acquire));
  }
  return least;
}

void ShmRanks::move(std::uint64_t number) {
  const std::size_t turn = number % transfers_.size();
  const Transfer& own = transfers_[turn];
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    const Places& places = peers_[rank]->board->places()[turn];
    std::byte* const memory = peers_[rank]->reach(
        std::max(places.send + bytes_of(own.send), places.receive + bytes_of(own.receive)));
    sends_[rank] = memory + places.send;
    receives_[rank] = memory + places.receive;
  }
  const auto self = static_cast<std::size_t>(rank_);
  std::byte* const receive = receives_[self];
  const std::size_t ranks = peers_.size();
  const std::size_t part = std::min(bytes_of(own.send), bytes_of(own.receive)) /
                           (own.operation == Operation::kAllToAll ? ranks : 1);
  switch (own.operation) {
    case Operation::kAllReduce:
    case Operation::kReduceScatter:
      return add_up(own);
    case Operation::kAllGather:
    case Operation::kAllToAll:
      // Each rank begins with the next one, so that they do not all read from one.
      for (std::size_t i = 1; i <= ranks; ++i) {
        const std::size_t from = (self + i) % ranks;
        const bool is_gather = own.operation == Operation::kAllGather;
        copy(receive + from * part, sends_[from] + (is_gather ? 0 : self * part), part);
      }
      return;
    case Operation::kBroadcast:
      return self == 0 ? void() : copy(receive, sends_[0], part);
    case Operation::kSendRecv:
      return copy(receive, sends_[(self + ranks - 1) % ranks], part);
    case Operation::kPingPong:
      break;
  }
  throw std::logic_error("an operation that shared memory has not");
}

void ShmRanks::add_up(const Transfer& own) {
  const auto self = static_cast<std::size_t>(rank_);
  const std::size_t element = device::size_bytes(own.send.type);
  if (own.operation == Operation::kReduceScatter) {
    for (const std::byte*& send : sends_) {
      send += self * bytes_of(own.receive);
    }
    return add_elements(own.send.type, own.receive.count, sends_, {&receives_[self], 1});
  }
  // Parts of whole lines: two ranks that write to one line would wait for each other.
  const std::size_t line = kLine / element;
  const auto border = [&](std::size_t rank) {
    return rank == peers_.size() ? own.send.count
                                 : own.send.count * rank / peers_.size() / line * line;
  };
  const std::size_t first = border(self);
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    sends_[rank] += first * element;
    receives_[rank] += first * element;
  }
  add_elements(own.send.type, border(self + 1) - first, sends_, receives_);
}

}  // namespace scalestudy::comm
