// Writes the start of a run to files, for a program of another framework that is to train the same.
#pragma once

#include <filesystem>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Writes numbers in this machine's byte order to files in `folder`, which is made if it is missing:
// - parameters.f32: the initial parameters, tensors one after another in the order of
//   tensor_shapes() (model/shape/zoo.h), each row by row, without padding. Weights of a dense layer
//   are (inputs, outputs).
// - inputs.f32: (batches, batch_global, input width); for tokens inputs.i32.
// - labels.i32: (batches, batch_global, predictions).
// - batch_global: that number, as text.
// In step s rank r trains on batch s modulo `batches`, on its batch_per_device samples from
// r * batch_per_device on. Batches are those that a run keeps; with data file one for each step.
// Parameters and samples are fp32, whatever the precision, and computed on the CPU. What dropout
// draws is not written: stderr says so.
// - texts: as merge() returned them, for `devices` ranks (1 if it is not given).
// - world: this process alone.
// - throws: WorkloadError (usage) as complete() and make_options(), for several processes, ranks
//   that only sleep (compute declared), or loss mse; (failed) for a file that cannot be written,
//   which it names.
void write_start(const Texts& texts, const rank::World& world, const std::filesystem::path& folder);

}  // namespace scalestudy::train
