// One rank's training: model, data, optimizer, gradient exchange, and a step that times itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/device/interface.h"
#include "workloads/rank/world.h"
#include "workloads/sync/buckets.h"
#include "workloads/train/input/file_input.h"
#include "workloads/train/memory/memory.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/evaluation.h"
#include "workloads/train/times/state.h"
#include "workloads/train/times/step_timer.h"

namespace scalestudy::train {

// Main thread only. Allocates at construction, never in a step.
class Trainer : public device::Interface {
 public:
  // Trains one step, or queues it. Steps count from 0, in order, up to the most steps of
  // the options. Every rank calls with the same numbers.
  virtual void step(std::size_t index) = 0;

  // The first step whose loss on this rank was not finite, if one is known: losses are checked
  // kStepsInFlight steps at a time, on a device with a queue of work that many steps later.
  virtual std::optional<std::size_t> diverged_step() const = 0;

  // Tells that the next step is the first measured one; ranks may wait for each other before it.
  virtual void begin_window() = 0;

  // The times of all steps so far, s. Waits for them, so that it must not be called between
  // measured steps.
  virtual std::vector<double> step_times_s() = 0;

  // See StepTimer::match_clock(); for steps with spans.
  virtual void match_clock(const ClockNs& clock_ns) = 0;

  // Evaluates the network on this rank's share of the held-out samples, which must exist. It is in
  // no step's time, and waits for every step so far. Call it before finish(); every rank calls.
  // - on_batch: called after each batch that the network predicts at once.
  virtual Evaluation evaluate(const std::function<void()>& on_batch) = 0;

  // The state that a checkpoint keeps. Waits for queued work.
  virtual State state() = 0;
  // Call it before the first step, after state() was overwritten with that of another process:
  // sends parameters to where the next step needs them. Every rank calls.
  virtual void publish_state() = 0;

  // Waits for every step and hands over what they measured, losses included. Call it once, after
  // the last step.
  virtual RankSteps finish() = 0;

  virtual std::string device_description() const = 0;
  virtual const std::vector<sync::Bucket>& buckets() const = 0;
  // Bytes of the flat buffer, all of which is summed: the model's gradients and the zeros between
  // them.
  virtual std::size_t gradient_bytes() const = 0;
  // Bytes that each rank hands over to be summed in a step: gradients in the type that travels.
  virtual std::size_t wire_bytes() const = 0;
  // See traffic_bytes() of exchange/exchanges.h.
  virtual std::size_t traffic_bytes() const = 0;
  // Memory taken of the device, without that inside MPI and the libraries. Nothing is taken or
  // freed in a step, so that its total is the peak.
  virtual const Memory& memory() const = 0;
  // Bytes that a step copies between device and host for an offloaded optimizer.
  virtual std::size_t offload_bytes() const { return 0; }
  // Decisions left to libraries, name -> text (ops::Ops::choices).
  virtual std::map<std::string, std::string> choices() const = 0;

  // The reader of data from a file; nullptr if data are synthetic.
  virtual FileInput* input() const { return nullptr; }

  // 64-bit hash of the parameters' bits; equal replicas have equal hashes.
  virtual std::uint64_t parameter_hash() const = 0;
  // The parameters of the flat buffer, with the zeros of its padding (model/shape/padding.h), but
  // not those after units (model/model.h).
  virtual std::vector<double> parameters() const = 0;
};

using TrainerFactory =
    std::function<std::unique_ptr<Trainer>(const Options& options, const rank::World& world)>;

std::unique_ptr<Trainer> make_trainer(const Options& options, const rank::World& world);

}  // namespace scalestudy::train
