#include "workloads/train/saves/saves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "workloads/model/stages.h"
#include "workloads/names/names.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/error.h"
#include "workloads/train/record/series.h"

namespace scalestudy::train {
namespace {

std::string given_folder(const Options& options) {
  const char* own = std::getenv(kFolderVariable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return own == nullptr ? options.saves.folder : own;
}

// Of several ranks on rank 0: pages of the files that they read.
Pages pages_of_all(const Pages& own, const rank::World& world) {
  Pages all = own;
  for (int rank = 1; rank < world.size(); ++rank) {
    std::vector<double> theirs = {static_cast<double>(own.all), static_cast<double>(own.cached)};
    world.send_to_root(theirs, rank);
    all.all += static_cast<std::uint64_t>(theirs[0]);
    all.cached += static_cast<std::uint64_t>(theirs[1]);
  }
  return all;
}

// A state from which no run ends well must not replace the one before it. A rank that throws meets
// no other in a save, so that none of them saves.
//   saved  steps of the last save, whose losses are known to be finite.
void require_finite(const State& state, std::size_t saved, std::size_t done) {
  const std::span<double> losses = state.losses.subspan(saved, done - saved);
  const auto bad = std::find_if_not(
      losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); });
  if (bad == losses.end() && state.is_finite) {
    return;
  }
  const protocol::Check check =
      bad != losses.end()
          ? check_loss(saved + static_cast<std::size_t>(bad - losses.begin()))
          : protocol::Check{.name = "parameters_finite",
                            .passed = false,
                            .detail = "parameters are not finite after " + std::to_string(done) +
                                      " steps (warm-up included); lower learning_rate"};
  throw rank::WorkloadError(protocol::kExitFailed, check.detail, check);
}

// What each rank's file is of, first to last: "3,2,2,3" layers or blocks of stages.
Texts with_layers(Texts texts, const Options& options) {
  if (options.pipeline.is_on()) {
    std::string layers;
    for (const model::UnitRun& run : model::divide_units(options.model, options.pipeline.stages)) {
      layers += (layers.empty() ? "" : ",") + std::to_string(run.end - run.first);
    }
    texts["strategy_layers"] = layers;
  }
  return texts;
}

}  // namespace

Saves::Saves(const Options& options, const Texts& texts, const rank::World& world)
    : options_(options), world_(world), folder_(given_folder(options)) {
  if (!is_asked()) {
    return;
  }
  if (folder_.empty()) {
    flags::refuse(std::string(options.saves.every > 0 ? names::kSaveEvery : "failure") +
                  " needs a folder for checkpoints; give save_dir");
  }
  checkpoints_.emplace(folder_, with_layers(texts, options), world);
  first_step_ = checkpoints_->newest().value_or(0);
  if (first_step_ > options.most_steps()) {
    flags::refuse(folder_.string() + " has a checkpoint of step " + std::to_string(first_step_) +
                  ", and this run has " + std::to_string(options.most_steps()) +
                  " steps; give more steps, or another save_dir");
  }
  if (world.rank() == 0) {
    past_ = read_failure(folder_);
    if (past_ && past_->step != options.failure.step) {
      past_.reset();  // of another failure, that a command before this one asked for
    }
  }
  has_failed_ = world.min_max(past_ ? 1 : 0).second != 0;
  saved_ = first_step_;
}

Loaded Saves::take(Trainer& trainer) {
  Loaded loaded = checkpoints_->load(trainer, options_.saves.drops_cache);
  load_s_.push_back(loaded.time_s);
  if (const auto share = pages_of_all(loaded.pages, world_).cached_share()) {
    cached_shares_.push_back(*share);
  }
  return loaded;
}

void Saves::load(Trainer& trainer) {
  if (first_step_ > 0) {
    trainer.state().timer->resume(take(trainer).steps);
  }
}

void Saves::save(std::size_t done, Trainer& trainer, const std::filesystem::path& instead) {
  const State state = trainer.state();
  state.timer->pause();
  require_finite(state, saved_, done);
  const Saved written = checkpoints_->save(done, state, instead);
  save_s_.push_back(written.time_s + state.copy_s);
  written_bytes_.push_back(written.bytes);
  saved_ = done;
}

void Saves::after_step(std::size_t done, Trainer& trainer) {
  if (!checkpoints_) {
    return;
  }
  if (has_failed_ && !recovered_s_) {
    recovered_s_ = rank::now_s();
  }
  const Failure& failure = options_.failure;
  const bool fails_now = failure.kind != FailureKind::kNone && !has_failed_ && done == failure.step;
  if (options_.saves.every > 0 && done % options_.saves.every == 0) {
    std::filesystem::path instead = fails_now ? unwritable(failure.kind) : "";
    if (!instead.empty() && static_cast<std::size_t>(world_.rank()) == failure.rank) {
      write_failure(folder_, {.step = done, .at_s = rank::now_s()});
    } else {
      instead.clear();
    }
    save(done, trainer, instead);
  }
  if (!fails_now) {
    return;
  }
  if (failure.kind == FailureKind::kTerminate) {
    terminate(failure, done, folder_, world_, [&] {
      if (saved_ != done) {
        save(done, trainer);
      }
    });
  }
  if (!unwritable(failure.kind).empty()) {
    throw rank::WorkloadError(protocol::kExitUnsupported,
                              unwritable(failure.kind).string() +
                                  " took what was written to it: this system cannot show what a "
                                  "full or broken disk does; leave failure out");
  }
  if (failure.kind == FailureKind::kLinkDown) {
    take_link_down(failure, done, folder_, world_);
    return;
  }
  kill_ranks(failure, done, folder_, world_);
}

void Saves::read_back(Trainer& trainer) {
  if (checkpoints_ && checkpoints_->newest() && load_s_.empty()) {
    take(trainer);
  }
}

std::vector<protocol::Samples> Saves::series() const {
  std::vector<protocol::Samples> series;
  const auto add = [&](const char* metric, const char* unit, std::vector<double> values) {
    if (!values.empty()) {
      series.push_back({.metric = metric,
                        .unit = unit,
                        .rank = std::nullopt,
                        .warmup = 0,
                        .values = std::move(values)});
    }
  };
  add(names::kSaveTime, "s", save_s_);
  add("checkpoint_written_bytes", "bytes", written_bytes_);
  add(names::kLoadTime, "s", load_s_);
  add("checkpoint_cached_share", "1", cached_shares_);
  if (checkpoints_ && checkpoints_->newest()) {
    add("checkpoint_bytes", "bytes", {checkpoints_->bytes()});
  }
  if (past_ && past_->known_s && recovered_s_) {
    add("failure_detection_time_s", "s", {*past_->known_s - past_->at_s});
    add("recovery_time_s", "s", {*recovered_s_ - *past_->known_s});
    add(names::kDowntime, "s", {*recovered_s_ - past_->at_s});
    add("lost_steps", "steps", {static_cast<double>(past_->step - first_step_)});
  }
  return series;
}

std::string describe_saves(const std::vector<protocol::Samples>& series) {
  std::string lines;
  for (const protocol::Samples& samples : series) {
    const double sum = std::accumulate(samples.values.begin(), samples.values.end(), 0.0);
    std::array<char, 128> line{};
    std::snprintf(line.data(),
                  line.size(),
                  "  %-26s %.6g %s (mean of %zu)\n",
                  samples.metric.c_str(),
                  sum / static_cast<double>(samples.values.size()),
                  samples.unit.c_str(),
                  samples.values.size());
    lines += line.data();
  }
  return lines;
}

}  // namespace scalestudy::train
