#include "workloads/train/run.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scalestudy_build.h"
#include "workloads/cuda/backend.h"
#include "workloads/ops/cpu/cpu_library.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/rank/journal.h"
#include "workloads/rank/mpi_settings.h"
#include "workloads/rank/phases.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/memory/memory.h"
#include "workloads/train/record/facts.h"
#include "workloads/train/record/gpu_tracer.h"
#include "workloads/train/record/measured_shares.h"
#include "workloads/train/record/series.h"
#include "workloads/train/record/summary.h"
#include "workloads/train/saves/saves.h"
#include "workloads/train/step/evaluation.h"
#include "workloads/train/times/trace.h"

namespace scalestudy::train {
namespace {

std::map<std::string, std::string> versions(const Options& options, const Trainer& trainer) {
  std::map<std::string, std::string> texts = {
      {"device", trainer.device_description()},
      {"mpi", rank::mpi_version()},
      {"onednn", ops::onednn_version()},
      {"compiler", SCALESTUDY_BUILD_COMPILER},
      {"scalestudy", SCALESTUDY_BUILD_VERSION " " SCALESTUDY_BUILD_REVISION}};
  texts.merge(trainer.choices());
  if (options.backend == Backend::kCuda) {
    texts.merge(cuda::load_backend().versions());
    const char* const product = options.precision == Precision::kTf32 ? "tf32" : "as stored";
    texts["math"] = std::string("products ") + product + ", cuDNN " +
                    (options.has_cudnn_tf32 ? "tf32" : "as stored");
  }
  return texts;
}

std::unique_ptr<Trainer> make_fitting_trainer(const TrainerFactory& make,
                                              const Options& options,
                                              const rank::World& world) {
  try {
    return make(options, world);
  } catch (const std::bad_alloc&) {
    throw_device_full(for_rank(options, static_cast<std::size_t>(world.rank())));
  }
}

// Steps on numbers that are none take another time, and no trial is made of them.
[[noreturn]] void end_diverged(std::size_t step) {
  const protocol::Check check = check_loss(step);
  throw rank::WorkloadError(protocol::kExitFailed, check.detail, check);
}

rank::Calls calls_of(const Options& options) {
  if (options.pipeline.is_on()) {  // whose norms are summed over stages
    return options.clip_norm > 0.0 ? rank::Calls::kBlocking : rank::Calls::kMessages;
  }
  return options.overlap == sync::Overlap::kPoll || options.overlap == sync::Overlap::kStartWait
             ? rank::Calls::kNonBlocking
             : rank::Calls::kBlocking;
}

// Shards are scattered and gathered, and so are the largest gradients alone. The squares of shards
// are summed by a call that waits, whatever the others do.
std::set<std::string> operations_of(const Options& options) {
  std::set<std::string> operations;
  const bool is_sharded = options.sharding != Sharding::kNone;
  if ((!is_sharded && !has_top_k(options)) ||
      (sums_squares(options) && calls_of(options) != rank::Calls::kNonBlocking)) {
    operations.insert("allreduce");
  }
  if (is_sharded || has_top_k(options)) {
    operations.insert("allgather");
  }
  if (is_sharded) {
    operations.insert("reduce_scatter_block");
  }
  if (options.node_ranks) {  // an all-reduce in three parts
    operations.insert({"reduce_scatter", "allgatherv"});
  }
  return operations;
}

// What training came to on one rank.
struct Training {
  std::vector<StepTimes> steps;
  rank::PhaseLengths lengths;  // the same on every rank
  std::vector<Span> spans;
  GpuTrace gpu;  // of these spans
  std::vector<Evaluation>
      evaluations;  // of its share; where asked for after epochs, and at the end
};

Training train_steps(const Options& options,
                     const rank::World& world,
                     Trainer& trainer,
                     Saves& saves,
                     rank::Journal& journal) {
  GpuTracer gpu(options, world);
  Training training;
  rank::PhaseLengths& lengths = training.lengths;
  std::size_t done = saves.first_step();
  const auto evaluate = [&](const char* phase) {
    training.evaluations.push_back(trainer.evaluate([&] { journal.beat(phase, rank::now_s()); }));
    world.barrier();  // else the next step waits for ranks that took longer
  };
  const auto train = [&](const char* phase, std::size_t end) {
    for (; done < end; ++done) {
      if (options.is_evaluated_each_epoch && done > 0 && done % options.steps_per_epoch() == 0) {
        evaluate(phase);
      }
      trainer.step(done);
      if (trainer.diverged_step()) {
        end_diverged(*trainer.diverged_step());
      }
      journal.beat(phase, rank::now_s());
      saves.after_step(done + 1, trainer);
    }
  };
  rank::WarmUp warm_up(options.floors());
  journal.write(protocol::Phase{"warmup"});
  saves.load(trainer);
  gpu.begin(trainer);
  world.barrier();
  do {  // a run that goes on may be past it
    train("warmup", warm_up.next_border());
  } while (!warm_up.is_over(world, std::min(done, warm_up.next_border()), trainer.step_times_s()));
  lengths = warm_up.lengths();
  const bool has_window = done == lengths.warmup;  // all of it is this process's
  journal.write(protocol::Phase{"measure"});
  trainer.begin_window();
  world.barrier();
  const std::size_t evaluated = training.evaluations.size();
  lengths.measured_from_s = rank::now_s();
  train("measure", lengths.warmup + lengths.measured);
  trainer.step_times_s();  // waits for those that a GPU has in its queue
  // Energy would be of evaluations and saves too.
  const bool is_of_steps =
      training.evaluations.size() == evaluated && saves.last_step() <= lengths.warmup;
  lengths.measured_until_s = has_window && is_of_steps ? rank::now_s() : 0.0;
  gpu.end(trainer);
  if (options.held_out_samples > 0) {
    evaluate("measure");
  }
  RankSteps steps = trainer.finish();
  if (steps.times.empty()) {
    throw rank::WorkloadError(protocol::kExitFailed, "no step was measured");
  }
  std::vector<double> transfer_s = steps.collective_s;
  world.minimum(transfer_s);
  add_skew(steps, transfer_s);
  training.gpu = gpu.trace(steps);
  training.spans = std::move(steps.spans);
  training.steps = std::move(steps.times);
  return training;
}

// Every rank's steps on rank 0, this rank's own elsewhere.
AllSteps gather(const rank::World& world, std::vector<StepTimes> own) {
  const std::size_t step_count = own.size();
  AllSteps all;
  all.push_back(std::move(own));
  for (int rank = 1; rank < world.size(); ++rank) {
    if (world.rank() == 0) {
      all.emplace_back(step_count);
    }
    world.send_to_root({all.back().front().data(), step_count * kFieldCount}, rank);
  }
  return all;
}

// What reading samples took, of all ranks together, on rank 0; nothing where data are synthetic.
// Of a file, stages of a pipeline that read none of it are ranks too.
std::map<std::string, double> input_facts(const Options& options,
                                          const Trainer& trainer,
                                          const rank::World& world) {
  if (!options.data_file) {
    return {};
  }
  const InputUse own = trainer.input() == nullptr ? InputUse{} : trainer.input()->end();
  InputUse sum = own;
  for (int rank = 1; rank < world.size(); ++rank) {
    InputUse theirs = own;
    world.send_to_root(theirs, rank);
    std::transform(sum.begin(), sum.end(), theirs.begin(), sum.begin(), std::plus<>());
  }
  return facts_of(sum);
}

// Not made where several ranks do not sum gradients: replicas part ways then, as they should. With
// fsdp there are none, and parameters that nobody updates are equal by themselves.
bool has_replicas_check(const Options& options, const rank::World& world) {
  const bool sums_gradients =
      options.transport != Transport::kNoop && options.payload == sync::Payload::kBuckets;
  return options.sharding != Sharding::kAll && !options.pipeline.is_on() &&
         (sums_gradients || world.size() == 1) && !options.declared;
}

SeriesLayout series_layout(std::size_t warmup,
                           const Options& options,
                           const Trainer& trainer,
                           const rank::World& world) {
  SeriesLayout layout{.warmup = warmup,
                      .has_phases = options.has_phases,
                      .has_overlap = options.overlap != sync::Overlap::kNone &&
                                     options.overlap != sync::Overlap::kStartWait &&
                                     trainer.buckets().size() > 1 && world.size() > 1 &&
                                     options.transport != Transport::kNoop,
                      .has_collective_ends = options.overlap != sync::Overlap::kPoll,
                      .has_collectives = !options.pipeline.is_on(),
                      .has_loss = !options.declared};
  if (options.device_peak_flop_per_s) {
    layout.peak_step_time_s = model::flop_per_sample(options.model) *
                              static_cast<double>(options.batch_per_device) /
                              *options.device_peak_flop_per_s;
  }
  return layout;
}

// Without held-out samples none.
std::vector<protocol::Samples> series_of(const Options& options,
                                         const std::vector<Evaluation>& evaluations,
                                         const AllSteps& all) {
  if (evaluations.empty()) {
    return {};
  }
  std::vector<double> losses;
  for (const StepTimes& step : over_ranks(all)) {
    losses.push_back(step[kLoss]);
  }
  return accuracy_series(options, evaluations, losses);
}

protocol::Check check_replicas(const Trainer& trainer, const rank::World& world) {
  const auto [smallest, largest] = world.min_max(trainer.parameter_hash());
  return {
      .name = "replicas_equal",
      .passed = smallest == largest,
      .detail = smallest == largest ? "" : "parameters differ between ranks after the last step"};
}

protocol::Start make_start(const Texts& texts,
                           const Texts& effective,
                           const Options& options,
                           const Trainer& trainer,
                           const rank::World& world,
                           const std::vector<double>& speeds) {
  protocol::Start start{.workload = "train",
                        .ranks = world.size(),
                        .parameters = effective,
                        .facts = start_facts(options, trainer, world),
                        .versions = versions(options, trainer)};
  start.facts.merge(share_facts(options, speeds));
  start.facts.merge(largest_model_facts(texts, options, world));
  rank::add_settings(options.transport == Transport::kNccl ? rank::settings_without_mpi("NCCL")
                     : options.transport == Transport::kShm
                         ? rank::settings_without_mpi("shared memory")
                         : rank::mpi_settings(calls_of(options), operations_of(options)),
                     start.facts,
                     start.versions);
  if (options.transport != Transport::kNccl && options.transport != Transport::kNoop) {
    rank::add_settings(rank::settings_without_nccl(), start.facts, start.versions);
  }
  return start;
}

std::vector<protocol::Check> make_checks(const Options& options,
                                         const std::vector<Evaluation>& evaluations,
                                         const AllSteps& all,
                                         const Trainer& trainer,
                                         const rank::World& world) {
  std::vector<protocol::Check> checks;
  if (!options.declared) {
    checks.push_back(check_loss(all));
  }
  if (!evaluations.empty()) {
    checks.push_back(check_evaluations(evaluations));
  }
  if (has_replicas_check(options, world)) {
    checks.push_back(check_replicas(trainer, world));
  }
  return checks;
}

}  // namespace

int run(const Texts& texts,
        const rank::World& world,
        protocol::Writer* writer,
        const TrainerFactory& make) {
  const Texts effective = complete(texts, world.size());
  Options options = make_options(effective);
  const std::string traces = trace_folder();
  options.has_spans = !traces.empty();
  options.has_phases = options.has_phases || options.has_spans;
  check_arithmetic(options);
  check_memory(for_rank(options, static_cast<std::size_t>(world.rank())), world);
  const TrainerFactory make_fitting = [&make](const Options& asked, const rank::World& ranks) {
    return make_fitting_trainer(make, asked, ranks);
  };
  const std::vector<double> speeds = share_by_speed(options, world, make_fitting);
  rank::Journal journal(writer);
  Saves saves(options, effective, world);
  options.first_step = saves.first_step();
  const std::unique_ptr<Trainer> trainer = make_fitting(options, world);
  const protocol::Start start = make_start(texts, effective, options, *trainer, world, speeds);
  journal.write(start);

  Training training = train_steps(options, world, *trainer, saves, journal);
  const AllSteps all = gather(world, std::move(training.steps));
  const std::vector<Evaluation> evaluations =
      sum_over_ranks(world, std::move(training.evaluations));
  std::map<std::string, double> end_facts = input_facts(options, *trainer, world);
  end_facts.merge(driver_facts(options, *trainer, world));
  if (options.has_spans) {
    write_trace(traces, world.rank(), training.spans, training.gpu);
  }
  std::vector<protocol::Check> checks = make_checks(options, evaluations, all, *trainer, world);
  saves.read_back(*trainer);
  const bool is_correct =
      std::all_of(checks.begin(), checks.end(), [](const auto& check) { return check.passed; });
  if (world.rank() != 0) {
    return protocol::kExitOk;
  }

  end_facts.merge(training.lengths.facts(options.floors()));
  journal.write(protocol::Phase{"teardown"});
  const SeriesLayout layout = series_layout(training.lengths.warmup, options, *trainer, world);
  for (const protocol::Samples& samples : make_series(all, layout)) {
    journal.write(samples);
  }
  for (const protocol::Samples& samples : series_of(options, evaluations, all)) {
    journal.write(samples);
  }
  for (const protocol::Samples& samples : saves.series()) {
    journal.write(samples);
  }
  for (const protocol::Check& check : checks) {
    journal.write(check);
  }
  journal.write(protocol::End{.ok = is_correct,
                              .message = is_correct ? "" : "a check failed",
                              .facts = std::move(end_facts)});
  if (writer == nullptr) {
    if (options.has_phases) {
      // About the breakdown alone, so it fails no trial: readers of a record find it in
      // other_time_s.
      checks.push_back(check_phases(all, layout.warmup));
    }
    print_summary(start, options, all, layout, checks);
    if (!evaluations.empty()) {
      std::fputs(describe_accuracy(options, evaluations).c_str(), stdout);
    }
    std::fputs(describe_saves(saves.series()).c_str(), stdout);
  }
  return is_correct ? protocol::kExitOk : protocol::kExitFailed;
}

}  // namespace scalestudy::train
