#include "workloads/collective/options.h"

#include <string>

#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy::collective {

using comm::Operation;

const flags::Program& program() {
  static const flags::Program kProgram{
      .workload = "collective",
      .name = "scalestudy-collective",
      .summary =
          "Times one collective operation over MPI ranks, through MPI or NCCL, and checks what it "
          "delivers.",
      .examples =
          "  mpirun -n 2 --bind-to core scalestudy-collective --message-bytes 67108864\n"
          "  mpirun -n 2 --bind-to core scalestudy-collective --operation all_to_all --mode "
          "isolated\n"};
  return kProgram;
}

Options make_options(const flags::Texts& texts) {
  Options options;
  options.operation = names::find_operation(texts.at(names::kOperation))->operation.value();
  options.pairs = protocol::read_pairs(texts.at(names::kPair));
  options.message_bytes = std::stoull(texts.at(names::kMessageBytes));
  options.mode = texts.at("mode") == "isolated" ? Mode::kIsolated : Mode::kBackToBack;
  options.operations_per_step =
      options.mode == Mode::kIsolated ? 1 : std::stoull(texts.at("operations_per_step"));
  options.has_triad = texts.at("beside") == "triad";
  options.is_cuda = texts.at(names::kBackend) == "cuda";
  options.is_shared = texts.at(names::kComm) == "shm";
  options.floors = {.warmup_steps = std::stoull(texts.at(names::kWarmupSteps)),
                    .measured_steps = std::stoull(texts.at(names::kMeasuredSteps)),
                    .warmup_time_s = std::stod(texts.at(names::kWarmupTime)),
                    .measured_time_s = std::stod(texts.at(names::kMeasuredTime))};
  return options;
}

int peer_of(const Options& options, int rank, int ranks) {
  if (options.operation != Operation::kPingPong) {
    return comm::kNoPeer;
  }
  if (options.pairs.empty()) {
    return (rank + ranks / 2) % ranks;
  }
  for (const protocol::RankPair& pair : options.pairs) {
    if (rank == pair.first || rank == pair.second) {
      return static_cast<int>(rank == pair.first ? pair.second : pair.first);
    }
  }
  return comm::kNoPeer;
}

std::size_t pair_count(const Options& options, int ranks) {
  if (options.operation != Operation::kPingPong) {
    return 1;
  }
  return options.pairs.empty() ? static_cast<std::size_t>(ranks) / 2 : options.pairs.size();
}

}  // namespace scalestudy::collective
