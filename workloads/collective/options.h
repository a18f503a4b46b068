// What a run of `collective` was asked for.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/comm/collective.h"
#include "workloads/flags/flags.h"
#include "workloads/parameters/rank_pair.h"
#include "workloads/rank/phases.h"

namespace scalestudy::collective {

enum class Mode {
  kBackToBack,  // a step is a batch of operations, one after another
  kIsolated,    // a step is one operation after a barrier
};

struct Options {
  comm::Operation operation = comm::Operation::kAllReduce;
  // The pairs of a ping-pong; empty: ranks of the lower half with those of the upper half.
  std::vector<protocol::RankPair> pairs;
  std::size_t message_bytes = 0;
  Mode mode = Mode::kBackToBack;
  std::size_t operations_per_step = 1;  // 1 when isolated
  bool is_cuda = false;
  bool is_shared = false;  // in memory that ranks share, in place of MPI
  bool has_triad = false;  // on a thread beside the operations
  rank::Floors floors;
};

// Name, help and flags of scalestudy-collective.
const flags::Program& program();

// texts  as flags::check() returned them.
Options make_options(const flags::Texts& texts);

// The rank that `rank` exchanges messages with in a ping-pong of so many ranks; comm::kNoPeer for a
// rank in no pair and for other operations.
int peer_of(const Options& options, int rank, int ranks);

// Pairs that exchange messages at once; 1 if the operation is no ping-pong.
std::size_t pair_count(const Options& options, int ranks);

}  // namespace scalestudy::collective
