// The names of parameters, metrics and facts that code compares with or looks up, each once.
//
// A name is an array and not a std::string_view, so that it converts to std::string as a literal
// does: for keys of maps and fields of rows. Two names are compared as std::string_view.
#pragma once

namespace scalestudy::names {

// Axes, and parameters of cells. All of them, with types and ranges, are in workloads/parameters.
inline constexpr char kDevices[] = "devices";           // ranks, each with a device of its own
inline constexpr char kNodes[] = "nodes";               // machines that the ranks are spread over
inline constexpr char kBatchGlobal[] = "batch_global";  // samples a step, of all devices
inline constexpr char kBatchPerDevice[] = "batch_per_device";  // samples a step, of one device
inline constexpr char kModel[] = "model";                      // the network that is trained
inline constexpr char kMessageBytes[] = "message_bytes";       // size of the buffer of a collective
inline constexpr char kOperation[] = "operation";              // which collective is called
inline constexpr char kTuning[] = "tuning_";     // begins what NCCL chose: tuning_algorithm
inline constexpr char kPair[] = "pair";          // the two ranks that a ping-pong goes between
inline constexpr char kBackend[] = "backend";    // what computes: cpu or cuda
inline constexpr char kStrategy[] = "strategy";  // how ranks keep one model: ddp, fsdp, pipeline
inline constexpr char kOverlap[] = "overlap";    // how communication runs beside computation
inline constexpr char kComm[] = "comm";  // who sums gradients: mpi, nccl, or noop for nobody
inline constexpr char kCommDtype[] = "comm_dtype";  // number format in which gradients travel
inline constexpr char kPrecision[] = "precision";   // number format of the computation
inline constexpr char kEpochs[] = "epochs";         // passes over the samples; 0: steps are given
inline constexpr char kHeldOutSamples[] = "held_out_samples";  // samples that only evaluations use
inline constexpr char kAccumulationSteps[] =
    "accumulation_steps";                           // backward passes before gradients are summed
inline constexpr char kSaveEvery[] = "save_every";  // steps from one checkpoint to the next
inline constexpr char kVirtualNodeRanks[] =
    "virtual_node_ranks";  // consecutive ranks that count as one node; 0: where they run
inline constexpr char kWarmupSteps[] = "warmup_steps";      // steps before the measured phase
inline constexpr char kMeasuredSteps[] = "measured_steps";  // steps of the measured phase
inline constexpr char kWarmupTime[] = "warmup_time_s";      // least time of the warm-up
inline constexpr char kMeasuredTime[] = "measured_time_s";  // least time of the measured phase

// Metrics of a step or of a trial. Their units and headings are in harness/study/parameters.
inline constexpr char kStepTime[] = "step_time_s";      // time of a step, of the slowest rank
inline constexpr char kWindowTime[] = "window_time_s";  // the whole measured phase, over all ranks
inline constexpr char kForwardTime[] = "forward_time_s";      // the forward pass of a step
inline constexpr char kBackwardTime[] = "backward_time_s";    // the backward pass of a step
inline constexpr char kDataTime[] = "data_time_s";            // waiting for the samples of a step
inline constexpr char kOptimizerTime[] = "optimizer_time_s";  // the update of the parameters
inline constexpr char kOtherTime[] = "other_time_s";          // the rest of a step
inline constexpr char kExposed[] =
    "exposed_communication_time_s";  // communication that the step waits for
inline constexpr char kHidden[] =
    "hidden_communication_time_s";  // communication that computation hides
inline constexpr char kCommunication[] =
    "communication_time_s";                                    // time with a collective in flight
inline constexpr char kSaveTime[] = "checkpoint_save_time_s";  // writing a checkpoint
inline constexpr char kLoadTime[] = "checkpoint_load_time_s";  // reading a checkpoint
inline constexpr char kDowntime[] = "downtime_s";              // from a failure to the next step
inline constexpr char kLoss[] = "loss";              // mean training loss over the global batch
inline constexpr char kAccuracy[] = "accuracy";      // share of held-out samples that are right
inline constexpr char kThroughput[] = "throughput";  // samples a second, of all devices
inline constexpr char kThroughputPerDevice[] =
    "throughput_per_device";                                     // samples a second, of one device
inline constexpr char kTokensPerSecond[] = "tokens_per_second";  // tokens a second, of all devices
inline constexpr char kAlgorithmBandwidth[] = "algbw_bytes_per_s";  // message size over its time
inline constexpr char kBusBandwidth[] =
    "busbw_bytes_per_s";  // what each link carries a second, as nccl-tests defines it
inline constexpr char kUtilization[] =
    "model_flop_utilization";  // FLOP of the model over what the devices could do

// Quantities that compare a cell with another.
inline constexpr char kSpeedup[] = "speedup";        // throughput over the baseline's
inline constexpr char kEfficiency[] = "efficiency";  // speedup over the ratio of devices
inline constexpr char kOverhead[] =
    "communication_overhead";  // share of the step that the control without communication lacks
inline constexpr char kOverlapGain[] = "overlap_gain";      // over the control start_wait
inline constexpr char kFastest[] = "fastest";               // throughput over the fastest cell's
inline constexpr char kAgainstWinner[] = "against_winner";  // over the winner of a race

// Facts: numbers of a trial that do not change from step to step.
inline constexpr char kParameterCount[] = "parameter_count";  // parameters of the model
inline constexpr char kFlopPerSample[] = "flop_per_sample";   // both passes, of one sample
inline constexpr char kFitShare[] = "fit_share";              // share of launches that fit memory
inline constexpr char kPeakBytes[] = "peak_bytes";            // most memory of a device
inline constexpr char kTrafficBytes[] = "traffic_bytes";      // least that a rank sends in a step
inline constexpr char kWireBytes[] =
    "wire_bytes";  // gradients of one rank and step, as they travel
inline constexpr char kBucketCount[] = "bucket_count";  // buckets that the gradients travel in
inline constexpr char kTailBucketBytes[] = "tail_bucket_bytes";  // size of the bucket sent last
inline constexpr char kOversubscribed[] =
    "oversubscribed";  // 1: ranks share a device, or lack a core

}  // namespace scalestudy::names
