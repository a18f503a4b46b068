// What the jobs of a study ask Slurm for.
#include <algorithm>
#include <map>

#include "harness/run/attempt/time_limit.h"
#include "harness/run/command/launch_command.h"
#include "harness/study/matrix/matrix.h"
#include "harness/submit/allocation.h"
#include "harness/submit/jobs.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Of the job that has most to do.
class JobTimes {
 public:
  explicit JobTimes(std::int64_t blocks_per_job) : blocks_per_job_(blocks_per_job) {}

  // A cell whose trials take `trial_s` each.
  void add(const Cell& cell, double trial_s) {
    for (const Blocks& blocks : cell.blocks) {
      const std::int64_t end = blocks.first + blocks.count;
      for (std::int64_t block = blocks.first; block < end;) {
        const std::int64_t job = block / blocks_per_job_;
        const std::int64_t behind =
            std::min(end - block, blocks_per_job_ - block % blocks_per_job_);
        longest_s_ = std::max(longest_s_, times_s_[job] += trial_s * static_cast<double>(behind));
        block += behind;
      }
    }
  }
  double longest_s() const { return longest_s_; }

 private:
  std::int64_t blocks_per_job_;
  std::map<std::int64_t, double> times_s_;
  double longest_s_ = 0.0;
};

}  // namespace

JobRequest job_request(const Study& study,
                       const Store* store,
                       const MachineProfile& machine,
                       std::int64_t blocks_per_job) {
  const Matrix matrix = expand(study);
  LaunchResources resources;
  constexpr std::int64_t any_number = std::int64_t{1} << 20;
  resources.cores = machine.cores_per_node.value_or(any_number);
  resources.gpus = machine.gpus_per_node.value_or(0);
  resources.communication_cores = communication_cores(matrix.cells, resources.cores);
  resources.program = "program";
  const std::map<std::string, double> means_s = mean_wall_times_s(study, store);
  JobRequest request;
  JobTimes times(blocks_per_job);
  const bool is_command = study.workload == Workload::kCommand;
  request.gpus_per_node = is_command ? resources.gpus : 0;
  std::int64_t cores = is_command ? machine.cores_per_node.value_or(0) : 0;
  for (const Cell& cell : matrix.cells) {
    request.nodes = std::max(request.nodes, cell.nodes);
    const auto mean_s = means_s.find(cell.hash);
    times.add(cell,
              mean_s == means_s.end() ? study.limits.timeout_s.value_or(kFirstTimeLimitS)
                                      : 2.0 * mean_s->second);
    if (is_command) {
      continue;
    }
    const std::int64_t ranks = cell.devices / cell.nodes;
    request.tasks_per_node = std::max(request.tasks_per_node, ranks);
    const bool uses_gpu =
        effective_value(cell.effective, names::kBackend) == Value(std::string("cuda"));
    if (uses_gpu) {
      request.gpus_per_node = std::max(request.gpus_per_node, ranks);
    }
    if (!uses_gpu || machine.cores_per_node) {
      cores = std::max(cores, ranks * launch_command(study, cell, resources).cores_per_rank);
    }
  }
  request.cores_per_task = (cores + request.tasks_per_node - 1) / request.tasks_per_node;
  constexpr double spare_s = 300.0;
  const double time_s = times.longest_s() + spare_s;
  request.time_limit_s = std::min(time_s, machine.time_limit_s.value_or(time_s));
  return request;
}

}  // namespace scalestudy
