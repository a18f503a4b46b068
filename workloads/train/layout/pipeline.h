// What a run of strategy pipeline is by its options alone: stages, what they send, what is ideal.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// The units of this rank's stage (model/stages.h); of options with a pipeline.
model::UnitRun stage_units(const Options& options);

// Elements of a micro-batch that a stage reads of the one before it; 0 for the first one, and for
// the number of stages, behind the last.
std::size_t handed_elements(const Options& options, std::size_t stage);

// Micro-batches of which a stage keeps what backward needs, at most.
std::size_t copies_of(const Options& options, std::size_t stage);

// Elements of GPT's token table, with padding, on the first stage, whose embedding reads it, and
// the last, which multiplies with it: both have it, and add each other's gradient of it to their
// own. 0 on other stages and for other models.
std::size_t shared_elements(const Options& options, std::size_t stage);

// Elements of all that a stage hands on or is handed with so many copies (stage_models.h).
std::size_t buffer_elements(const Options& options, std::size_t stage, std::size_t copies);

// Bytes that a stage sends in a step: of each micro-batch activations to the next stage, and as
// many gradients as it has read activations to the one before, and the gradient of a shared table.
// Of all stages that is twice what crosses the borders between them forward, and the table twice.
std::size_t sent_bytes(const Options& options, std::size_t stage);

// What is declared for a step of one stage, s: of each sample by its share of the FLOP, and all of
// what a step takes beside samples. Without a pipeline what is declared for a rank's step.
double declared_stage_s(const Options& options, std::size_t stage);
// Of the rank that has the most; options of the run.
double longest_declared_s(const Options& options);

// The stage that needs the most memory, as calculated; 0 without a pipeline.
std::size_t largest_stage(const Options& options);
// As the rank has them that needs the most memory, of unequal shares too.
Options of_largest_rank(const Options& options);

// Facts of a start event: wire_bytes of all stages, traffic_bytes of the one that sends the most,
// pipeline_bubble_ideal, and of each stage its layers, parameters and FLOP.
std::map<std::string, double> pipeline_facts(const Options& options);

}  // namespace scalestudy::train
