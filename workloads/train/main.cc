// scalestudy-train: one rank of a data-parallel training run.
#include <cstdio>
#include <span>

#include "workloads/rank/program.h"
#include "workloads/train/options.h"
#include "workloads/train/run.h"

int main(int argc, char** argv) {
  namespace train = scalestudy::train;
  const std::span<const char* const> arguments(argv + 1, argv + argc);
  // Before MPI, which takes a tenth of a second to start.
  if (scalestudy::flags::asks_for_help(arguments)) {
    std::fputs(train::help_text().c_str(), stdout);
    return 0;
  }
  return scalestudy::rank::run_program(
      argc, argv, [&](const scalestudy::rank::World& world, scalestudy::protocol::Writer* writer) {
        return train::run(
            train::merge(scalestudy::flags::environment(), train::parse_flags(arguments)),
            world,
            writer);
      });
}
