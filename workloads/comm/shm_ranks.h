// Operations over the ranks of one machine that read each other's buffers in place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/device/shared_memory.h"

namespace scalestudy::comm {

// Both buffers are in SharedMemory; they may be the same, or the smaller one the rank's own part of
// the larger one. Sizes are those of Exchange and Collective.
struct Transfer {
  Operation operation{};  // no ping-pong
  Buffer send{};
  Buffer receive{};
};

// Each rank sums its part of what all ranks send, in order of rank, and writes the sum to all of
// them: of an all-reduce of n bytes it reads n and writes n, and all ranks end with the same bits.
// Types of 16 bits are summed in fp32 and rounded once. Operations end in the order in which they
// are started. One thread calls at a time; after construction it talks to no library.
class ShmRanks {
 public:
  // Collective: every rank calls, between MPI_Init and MPI_Finalize.
  // - memory: of this rank; outlives this.
  // - most: operations in flight at once.
  // - throws: WorkloadError, (usage) when ranks are on several machines, (unsupported) when one
  //   cannot open another's memory.
  ShmRanks(device::SharedMemory& memory, std::size_t most);
  ShmRanks(const ShmRanks&) = delete;
  ShmRanks& operator=(const ShmRanks&) = delete;
  ~ShmRanks();

  // Begins an operation and returns its number: 0, 1, ...
  std::uint64_t start(const Transfer& transfer);
  // Does this rank's share of what all ranks have begun; true when they are done with the
  // operation.
  bool test(std::uint64_t number);
  void wait(std::uint64_t number);

 private:
  struct Board;
  struct Places;
  struct Peer;

  std::uint64_t least(std::atomic<std::uint64_t> Board::*count) const;
  void move(std::uint64_t number);
  void add_up(const Transfer& own);

  device::SharedMemory& memory_;
  int rank_ = 0;
  bool takes_turns_ = false;                  // on cores with other ranks
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank, this one too
  Board* board_ = nullptr;                    // this rank's, which the others read
  std::vector<Transfer> transfers_;           // ring, by number
  std::uint64_t started_ = 0;
  std::uint64_t moved_ = 0;              // this rank's share of them is done
  std::uint64_t complete_ = 0;           // every rank's is
  std::vector<const std::byte*> sends_;  // of each rank, of the operation that is moved
  std::vector<std::byte*> receives_;
};

}  // namespace scalestudy::comm
