// scalestudy-train: one rank of a data-parallel training run.
#include <cstdio>
#include <span>
#include <string_view>

#include "workloads/ops/cpu/cpu_threads.h"
#include "workloads/rank/program.h"
#include "workloads/train/memory/describe.h"
#include "workloads/train/options/options.h"
#include "workloads/train/run.h"
#include "workloads/train/saves/start_files.h"
#include "workloads/train/saves/supervise.h"

int main(int argc, char** argv) {
  namespace train = scalestudy::train;
  const std::span<const char* const> arguments(argv + 1, argv + argc);
  // Before MPI, which takes a tenth of a second to start.
  if (scalestudy::flags::asks_for_help(arguments)) {
    std::fputs(train::help_text().c_str(), stdout);
    return 0;
  }
  scalestudy::ops::unbind_main_thread();  // also for what a supervisor starts
  if (argc > 1 && std::string_view(argv[1]) == "--supervise") {
    return train::supervise(arguments.subspan(1));
  }
  if (argc > 1 && std::string_view(argv[1]) == "--describe") {
    return scalestudy::rank::run_alone([&](scalestudy::protocol::Writer* writer) {
      const train::Texts texts =
          train::merge(scalestudy::flags::environment(), train::parse_flags(arguments.subspan(1)));
      if (writer == nullptr) {
        std::fputs(train::describe_run(texts).c_str(), stdout);
      } else {
        writer->write(scalestudy::protocol::Start{.workload = "train",
                                                  .ranks = 1,
                                                  .parameters = texts,
                                                  .facts = train::describe_facts(texts),
                                                  .versions = {}});
      }
      return 0;
    });
  }
  const bool writes_start = argc > 2 && std::string_view(argv[1]) == "--write-start";
  return scalestudy::rank::run_program(
      argc, argv, [&](const scalestudy::rank::World& world, scalestudy::protocol::Writer* writer) {
        const train::Texts texts =
            train::merge(scalestudy::flags::environment(),
                         train::parse_flags(arguments.subspan(writes_start ? 2 : 0)));
        if (writes_start) {
          train::write_start(texts, world, argv[2]);
          return 0;
        }
        return train::run(texts, world, writer);
      });
}
