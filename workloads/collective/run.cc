#include "workloads/collective/run.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scalestudy_build.h"
#include "workloads/collective/backend.h"
#include "workloads/collective/bench.h"
#include "workloads/collective/options.h"
#include "workloads/collective/series.h"
#include "workloads/collective/summary.h"
#include "workloads/collective/triad.h"
#include "workloads/device/device.h"
#include "workloads/names/names.h"
#include "workloads/names/operations.h"
#include "workloads/parameters/combinations.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/affinity.h"
#include "workloads/rank/journal.h"
#include "workloads/rank/mpi_settings.h"

namespace scalestudy::collective {
namespace {

constexpr std::size_t kCopyCount = 4;  // the first is warm-up, of triads too

std::map<std::string, double> facts(const Options& options,
                                    const Bench& bench,
                                    const device::Triad* triad,
                                    const rank::World& world) {
  const std::size_t triad_bytes = triad == nullptr ? 0 : triad->memory_bytes();
  const std::size_t copied = copy_bytes(options, world);
  std::map<std::string, double> numbers = {
      {"total_bytes", static_cast<double>(bench.layout().total_bytes)},
      {"busbw_factor", bench.layout().busbw_factor},
      {"operations_per_step", static_cast<double>(options.operations_per_step)},
      {"copy_bytes", static_cast<double>(copied)},
      {names::kPeakBytes,
       static_cast<double>(std::max(bench.peak_bytes() + triad_bytes, 2 * copied))},
      {"affinity_cores", static_cast<double>(world.affinity_cores())},
      {"node_count", static_cast<double>(world.node_count())},
      {names::kOversubscribed, is_oversubscribed(options, world) ? 1.0 : 0.0}};
  numbers.merge(device_facts(options, world));
  return numbers;
}

std::map<std::string, std::string> versions(const Options& options, const device::Device& device) {
  std::map<std::string, std::string> texts = {
      {"device", device.description()},
      {"compiler", SCALESTUDY_BUILD_COMPILER},
      {"scalestudy", SCALESTUDY_BUILD_VERSION " " SCALESTUDY_BUILD_REVISION}};
  texts.merge(library_versions(options));
  return texts;
}

// Every rank's values on rank 0, this rank's own elsewhere.
std::vector<std::vector<double>> gather(const rank::World& world, std::vector<double> own) {
  std::vector<std::vector<double>> all{std::move(own)};
  for (int rank = 1; rank < world.size(); ++rank) {
    if (world.rank() == 0) {
      all.emplace_back(all.front().size());
    }
    world.send_to_root(all.back(), rank);
  }
  return all;
}

// What is timed as one, of which a step has several.
double times_per_step(const Options& options, const Bench& bench) {
  return bench.layout().trips * static_cast<double>(options.operations_per_step);
}

// In seconds of one of them.
rank::Floors floors_per_operation(const Options& options, const Bench& bench) {
  rank::Floors floors = options.floors;
  floors.warmup_time_s /= times_per_step(options, bench);
  floors.measured_time_s /= times_per_step(options, bench);
  return floors;
}

// The thread has cores that this one leaves to it, where there are enough for all ranks.
std::unique_ptr<TriadThread> start_triad(const Options& options,
                                         const rank::World& world,
                                         device::Triad& triad) {
  std::vector<int> cores = world.cores();
  if (is_oversubscribed(options, world)) {
    cores.clear();
  } else {
    rank::run_on({cores.front()});
    cores.erase(cores.begin());
  }
  return std::make_unique<TriadThread>(triad, cores);
}

// lengths         set to those of the phases; steps are the same on every rank.
// triad           that runs beside, nullptr for none.
// triad_rate      set to its bytes a second in the measured phase.
std::vector<double> time_steps(const Options& options,
                               const rank::World& world,
                               Bench& bench,
                               rank::Journal& journal,
                               const TriadThread* triad,
                               rank::PhaseLengths& lengths,
                               double& triad_rate) {
  std::vector<double> steps;
  const auto time = [&](const char* phase, std::size_t end) {
    while (steps.size() < end) {
      steps.push_back(bench.step());
      journal.beat(phase, rank::now_s());
    }
  };
  rank::WarmUp warm_up(floors_per_operation(options, bench));
  journal.write(protocol::Phase{"warmup"});
  do {
    time("warmup", warm_up.next_border());
  } while (!warm_up.is_over(world, steps.size(), steps));
  lengths = warm_up.lengths();
  lengths.warmup_time_s *= times_per_step(options, bench);
  bench.poison();
  journal.write(protocol::Phase{"measure"});
  const double bytes = triad == nullptr ? 0.0 : triad->bytes();
  lengths.measured_from_s = rank::now_s();
  time("measure", lengths.warmup + lengths.measured);
  lengths.measured_until_s = rank::now_s();
  if (triad != nullptr) {
    triad_rate = (triad->bytes() - bytes) / (lengths.measured_until_s - lengths.measured_from_s);
  }
  return steps;
}

std::map<std::string, rank::Setting> mpi_settings(const Options& options) {
  const std::string call(names::info_of(options.operation).mpi_name);
  return rank::mpi_settings(call.empty() ? rank::Calls::kMessages : rank::Calls::kBlocking, {call});
}

// What the measured operations left, the last of them at least.
protocol::Check check_data(Bench& bench) {
  const std::size_t wrong = bench.wrong_elements();
  return {.name = "data_exact",
          .passed = wrong == 0,
          .detail = wrong == 0 ? ""
                               : std::to_string(wrong) +
                                     " received elements of one rank are not the exact result"};
}

}  // namespace

int run(const flags::Texts& texts, const rank::World& world, protocol::Writer* writer) {
  const flags::Texts effective = flags::check(program(), texts, world.size());
  if (const std::string wrong = protocol::check_combination(program().workload, effective);
      !wrong.empty()) {
    flags::refuse(wrong);
  }
  const Options options = make_options(effective);
  rank::Journal journal(writer);
  const std::unique_ptr<device::Device> device = make_device(options, world);
  const std::vector<std::vector<double>> copies =
      gather(world, measure_copy_bandwidth(*device, world, copy_bytes(options, world), kCopyCount));
  Bench bench(options, world, *device);
  const std::unique_ptr<device::Triad> triad = make_triad(options, *device);
  protocol::Start start{.workload = "collective",
                        .ranks = world.size(),
                        .parameters = effective,
                        .facts = facts(options, bench, triad.get(), world),
                        .versions = versions(options, *device)};
  rank::add_settings(options.is_cuda     ? rank::settings_without_mpi("NCCL")
                     : options.is_shared ? rank::settings_without_mpi("shared memory")
                                         : mpi_settings(options),
                     start.facts,
                     start.versions);
  if (!options.is_cuda) {
    rank::add_settings(rank::settings_without_nccl(), start.facts, start.versions);
  }
  journal.write(start);

  std::unique_ptr<TriadThread> thread;
  std::vector<std::vector<double>> alone;
  if (triad != nullptr) {
    alone = gather(world, measure_triad(*triad, world, kCopyCount));
    thread = start_triad(options, world, *triad);
  }
  rank::PhaseLengths lengths;
  double triad_rate = 0.0;
  const AllSteps all =
      gather(world, time_steps(options, world, bench, journal, thread.get(), lengths, triad_rate));
  if (thread != nullptr) {
    thread->end();
  }
  const std::vector<std::vector<double>> beside = gather(world, {triad_rate});
  const protocol::Check check = check_data(bench);
  if (world.rank() != 0) {
    return protocol::kExitOk;
  }

  journal.write(protocol::Phase{"teardown"});
  std::vector<protocol::Samples> series = make_series(all, bench.layout(), lengths.warmup);
  series.push_back(make_rate_series("copy_bandwidth_bytes_per_s", copies, 1));
  if (triad != nullptr) {
    series.push_back(make_rate_series("triad_bytes_per_s", alone, 1));
    series.push_back(make_rate_series("triad_beside_bytes_per_s", beside, 0));
  }
  for (const protocol::Samples& samples : series) {
    journal.write(samples);
  }
  journal.write(check);
  journal.write(protocol::End{.ok = check.passed,
                              .message = check.passed ? "" : "a check failed",
                              .facts = lengths.facts(options.floors)});
  if (writer == nullptr) {
    print_summary(start, series, check);
  }
  return check.passed ? protocol::kExitOk : protocol::kExitFailed;
}

}  // namespace scalestudy::collective
