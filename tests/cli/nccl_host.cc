// A stand-in for a program that uses NCCL, in tests of the command line: it loads a profiler plugin
// as NCCL does, goes by NCCL_NTHREADS and by no NCCL_MAX_NCHANNELS, and logs neither. It fails
// where it is told to load one in a trial, which is measured.
#include "tests/profiler/nccl_host.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <unistd.h>

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void log_variables() {
  std::string file = variable("NCCL_DEBUG_FILE");
  file.replace(file.find("%h.%p"), 5, "here." + std::to_string(getpid()));
  std::ofstream log(file);
  for (const char* name : {"NCCL_NTHREADS", "NCCL_MAX_NCHANNELS"}) {
    if (!variable(name).empty()) {
      log << "here:1:1 [0] NCCL INFO " << name << " set by environment to " << variable(name)
          << ".\n";
    }
  }
}

void run_collectives(const std::string& plugin) {
  const scalestudy::test::NcclHost nccl(plugin);
  if (nccl.version() == 0) {
    return;  // NCCL goes on without
  }
  void* context = nullptr;
  nccl.init(&context);
  const std::string threads = variable("NCCL_NTHREADS");
  // A warp more than asked for, as in a ring of SIMPLE.
  const int warps = (threads.empty() ? 512 : std::stoi(threads)) / 32 + 1;
  nccl.collective(context, "AllReduce", "RING", "SIMPLE", 4, static_cast<std::uint8_t>(warps));
  nccl.finalize(context);
}

}  // namespace

int main() {
  const std::string plugin = variable("NCCL_PROFILER_PLUGIN");
  const bool is_confirm_run = !variable("NCCL_DEBUG_FILE").empty();
  if (!plugin.empty() && !is_confirm_run) {
    return 3;
  }
  if (is_confirm_run) {
    log_variables();
    run_collectives(plugin);
  }
  const std::string trial = variable("SCALESTUDY_TRIAL");
  const int noise = trial.empty() ? 0 : std::stoi(trial) % 7;
  const double time_s =
      variable("NCCL_NTHREADS").empty() && variable("NCCL_MAX_NCHANNELS").empty() ? 0.010 : 0.008;
  for (int step = 0; step < 6; ++step) {
    std::printf("step %.6f s\n", time_s * (1.0 + 0.001 * ((noise + step) % 7)));
  }
  return 0;
}
