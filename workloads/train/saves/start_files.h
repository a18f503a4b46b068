// Writes the start of a run to files, for a program of another framework that is to train the same.
#pragma once

#include <filesystem>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Writes to `folder`, which is made where it is not there, numbers in this machine's byte order:
//   parameters.f32  the initial parameters: tensors one after another in the order of
//                   tensor_shapes() (model/zoo.h), each row by row, without padding. Weights of a
//                   dense layer are (inputs, outputs).
//   inputs.f32      (batches, batch_global, input width); of tokens inputs.i32
//   labels.i32      (batches, batch_global, predictions)
//   batch_global    that number, as text
// Step s trains on batch s modulo `batches`, and of it rank r on the batch_per_device samples from
// r * batch_per_device on. Batches are those that a run keeps; of data file one for each step.
// Parameters and samples are of fp32, whatever the precision; computed on the CPU.
//   texts   as merge() returned them; of `devices` ranks, 1 where it is not given.
//   world   this process alone.
// Throws WorkloadError: (usage) as complete() and make_options(), several processes, ranks that
// only sleep (compute declared), or loss mse; (failed) a file that cannot be written, which it
// names.
void write_start(const Texts& texts, const rank::World& world, const std::filesystem::path& folder);

}  // namespace scalestudy::train
