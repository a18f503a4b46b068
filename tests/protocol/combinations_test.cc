// Which parameters go together, and why others do not.
#include "workloads/parameters/combinations.h"

#include "tests/support/catch.h"
#include "workloads/parameters/given_values.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy::protocol;

namespace {

// Of these values and the defaults of all others.
std::string problem_of(std::string_view workload, std::map<std::string, std::string> values) {
  const std::map<std::string, std::string> given = values;
  for (const ParameterInfo& parameter : workload_parameters(workload)) {
    const std::string_view text = default_value(parameter, given);
    if (!text.empty()) {
      values.emplace(parameter.name, text);
    }
  }
  return check_combination(workload, values);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the defaults go together", "[protocol]") {
  CHECK(problem_of("train", {}).empty());
  CHECK(problem_of("train", {{"batch_per_device", "7"}}).empty());
}

TEST_CASE("shares are a weight of each device, and whole shares of the batch", "[protocol]") {
  const auto wrong = [](const std::string& shares, std::map<std::string, std::string> values = {}) {
    values.insert({{"shares", shares}, {"devices", "2"}, {"batch_global", "64"}});
    return problem_of("train", values);
  };

  for (const char* shares : {"equal", "1:3", "1:1", "21:43", "proportional"}) {
    CHECK(wrong(shares).empty());
  }
  CHECK(wrong("1:3", {{"batch_global", ""}, {"batch_per_device", "32"}}).empty());
  CHECK(wrong("1:2") ==
        "shares is \"1:2\", but a batch of 64 has no such whole shares; give a multiple of 3");
  CHECK(wrong("1:2:1") == "shares is \"1:2:1\", 3 weights for 2 devices; give one for each");
  for (const char* shares : {"", "1:", ":1", "0:1", "1:-1", "1:x", "1.5:1", "proportion"}) {
    CAPTURE(shares);
    CHECK(contains(wrong(shares), "allowed: equal, proportional, or a weight of each device"));
  }
  CHECK(contains(wrong("proportional", {{"accumulation_steps", "2"}}), "splits equal shares"));
  CHECK(contains(wrong("proportional", {{"data", "file"}}), "use data: synthetic"));
  CHECK(contains(wrong("1:3", {{"accumulation_steps", "2"}}), "accumulation_steps splits equal"));
  CHECK(contains(wrong("1:3", {{"held_out_samples", "64"}}), "held_out_samples splits equal"));
  CHECK(contains(wrong("1:3", {{"data", "file"}}), "use data: synthetic"));
  CHECK(contains(
      wrong("1:3", {{"strategy", "local_sgd"}, {"sync_every", "2"}, {"batch_per_device", "32"}}),
      "local_sgd averages ranks alike"));
}

TEST_CASE("an optimizer is offloaded where its state alone is moved", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"offload", "optimizer"}, {"backend", "cuda"}, {"comm", "nccl"}});
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"precision", "bf16"}, {"strategy", "fsdp"}}).empty());
  CHECK(wrong({{"precision", "fp16"}}) ==
        "offload optimizer cannot be combined with precision fp16: the scale of losses is in the "
        "GPU's "
        "memory; use bf16");
  CHECK(contains(wrong({{"strategy", "local_sgd"}}), "use ddp"));
  // Of CPU cores alone no trial is refused: it ends as unsupported, beside those of a GPU.
  CHECK(wrong({{"backend", "cpu"}, {"comm", "mpi"}}).empty());
}

TEST_CASE("a pipeline goes with what its stages can do, each without the others' layers",
          "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"strategy", "pipeline"}, {"devices", "4"}, {"batch_per_device", "4"}});
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"precision", "fp64"},
               {"clip_norm", "1"},
               {"optimizer", "adamw"},
               {"accumulation_steps", "16"},
               {"timing", "light"},
               {"straggler_ms", "1"}})
            .empty());
  CHECK(wrong({{"compute", "declared"}, {"declared_step_ms", "1"}, {"declared_hop_ms", "1"}})
            .empty());
  CHECK(wrong({{"data", "file"}, {"data_prefetch", "2"}, {"accumulation_steps", "4"}}).empty());
  CHECK(wrong({{"save_every", "10"}, {"failure", "kill_rank"}, {"failure_step", "5"}}).empty());
  CHECK(wrong({{"model", "gpt2-124m"}}).empty());
  CHECK(wrong({{"train_samples", "64"}, {"held_out_samples", "64"}, {"accumulation_steps", "2"}})
            .empty());
  CHECK(
      wrong({{"model", "resnet50"}, {"train_samples", "64"}, {"held_out_samples", "64"}}).empty());
  for (const char* comm : {"nccl", "mpi_staged"}) {
    CHECK(wrong({{"backend", "cuda"}, {"comm", comm}, {"precision", "bf16"}}).empty());
  }
  CHECK(contains(wrong({{"backend", "cuda"}, {"overlap", "stream"}}), "use none"));
  CHECK(wrong({{"comm", "noop"}}) ==
        "comm noop cannot be combined with strategy pipeline: a stage computes with what the one "
        "before "
        "it sends; use mpi or nccl");
  const std::vector<std::pair<std::map<std::string, std::string>, std::string>> refused = {
      {{{"backend", "cuda"}, {"precision", "fp16"}}, "stages would scale losses apart"},
      {{{"payload", "element"}}, "use buckets"},
      {{{"loss", "mse"}}, "use cross_entropy"},
      {{{"data", "file"}, {"train_samples", "64"}}, "use data synthetic"},
      {{{"lr_scale", "linear"}}, "use none"},
      {{{"lr_scale", "sqrt"}}, "use none"},
      {{{"overlap", "poll"}}, "no gradients of parameters travel"},
      {{{"overlap", "thread"}}, "no gradients of parameters travel"},
      {{{"comm_dtype", "bf16"}}, "leave it out"},
      {{{"topk", "1"}}, "use ddp"},
      {{{"allreduce", "hierarchical"}}, "use ddp"},
      {{{"shares", "1:1:1:1"}}, "each stage computes with all of the batch"},
      {{{"model", "resnet50"},
        {"train_samples", "64"},
        {"held_out_samples", "64"},
        {"accumulation_steps", "2"}},
       "running statistics for each micro-batch in flight"}};
  for (const auto& [values, reason] : refused) {
    CAPTURE(reason);
    CHECK(contains(wrong(values), reason));
  }
}

TEST_CASE("a pipeline has as many stages as layers at most, and parts of the global batch",
          "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"strategy", "pipeline"}, {"batch_per_device", "2"}});
    return problem_of("train", values);
  };

  CHECK(wrong({{"model", "mlp-258k"}, {"devices", "4"}}).empty());
  CHECK(wrong({{"model", "mlp-258k"}, {"devices", "5"}}) ==
        "devices is 5, but mlp-258k has 4 layers or blocks for stages of strategy pipeline; give "
        "fewer, or more model.layers where the model has them");
  CHECK(contains(wrong({{"model", "llama-7b"}, {"model.layers", "2"}, {"devices", "5"}}),
                 "llama-7b has 4 layers"));
  CHECK(wrong({{"model", "gpt2-124m"}, {"devices", "1"}}).empty());
  CHECK(wrong({{"devices", "4"}, {"accumulation_steps", "8"}}).empty());
  CHECK(wrong({{"devices", "4"}, {"accumulation_steps", "3"}}) ==
        "accumulation_steps is 3, which does not divide 8, the global batch of a pipeline; give a "
        "divisor of it");
  CHECK(contains(wrong({{"strategy", "ddp"}, {"devices", "4"}, {"accumulation_steps", "8"}}),
                 "does not divide 2, the batch of each device"));
}

TEST_CASE("local_sgd goes with what leaves ranks to themselves", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"strategy", "local_sgd"},
                   {"sync_every", "4"},
                   {"warmup_steps", "12"},
                   {"batch_per_device", "8"}});
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"backend", "cuda"}, {"precision", "bf16"}}).empty());
  CHECK(wrong({{"overlap", "poll"}}) ==
        "overlap poll cannot be combined with strategy local_sgd: parameters travel behind the "
        "update; "
        "use none");
  CHECK(contains(wrong({{"backend", "cuda"}, {"precision", "fp16"}}), "use bf16"));
  CHECK(contains(wrong({{"comm_dtype", "bf16"}}), "no gradients travel"));
  CHECK(contains(wrong({{"clip_norm", "1"}}), "or use ddp"));
  CHECK(contains(wrong({{"topk", "1"}}), "use ddp"));
  CHECK(contains(wrong({{"allreduce", "hierarchical"}}), "use ddp"));
  CHECK(wrong({{"warmup_steps", "10"}}) ==
        "warmup_steps is 10, no multiple of sync_every 4: the time of a step is that of whole "
        "turns of local_sgd; give 12");
  CHECK(contains(wrong({{"measured_steps", "30"}}), "give 32"));
  // 96 samples are 12 steps of 8; two epochs of 10 steps are five turns, each two and a half.
  CHECK(wrong({{"train_samples", "96"}, {"epochs", "2"}}).empty());
  CHECK(wrong({{"train_samples", "80"}, {"epochs", "2"}}).empty());
  CHECK(contains(wrong({{"train_samples", "72"}, {"epochs", "2"}}), "epochs of 18 steps"));
  CHECK(contains(wrong({{"train_samples", "80"},
                        {"held_out_samples", "80"},
                        {"evaluate", "epochs"},
                        {"epochs", "2"}}),
                 "an epoch of 10 steps"));
  CHECK(wrong({{"strategy", "ddp"}, {"warmup_steps", "10"}}).empty());
}

TEST_CASE("powersgd goes with gradients that are summed whole", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"strategy", "powersgd"}, {"powersgd_rank", "2"}});
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"backend", "cuda"}, {"precision", "tf32"}}).empty());
  CHECK(wrong({{"clip_norm", "1"}, {"accumulation_steps", "2"}}).empty());
  CHECK(wrong({{"overlap", "thread"}}) ==
        "overlap thread cannot be combined with strategy powersgd: what it sums second follows "
        "from the "
        "first; use none");
  CHECK(contains(wrong({{"backend", "cuda"}, {"overlap", "stream"}}), "use none"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"precision", "bf16"}}), "use fp32"));
  CHECK(contains(wrong({{"comm_dtype", "fp16"}}), "leave it out"));
  CHECK(contains(wrong({{"topk", "1"}}), "use ddp"));
  CHECK(contains(wrong({{"allreduce", "hierarchical"}}), "use ddp"));
  CHECK(contains(wrong({{"compute", "declared"}, {"declared_step_ms", "5"}}), "use ddp"));
}

TEST_CASE("what a GPU needs goes together", "[protocol]") {
  CHECK(problem_of("train", {{"backend", "cuda"}}).empty());  // comm follows it
  CHECK(problem_of("train", {{"backend", "cuda"}, {"strategy", "ddp_serial"}}).empty());
  CHECK(problem_of("train", {{"backend", "cuda"}, {"comm", "mpi_staged"}}).empty());
  CHECK(problem_of("train",
                   {{"backend", "cuda"},
                    {"comm", "nccl"},
                    {"overlap", "stream"},
                    {"precision", "bf16"},
                    {"batch_per_device", "8"},
                    {"accumulation_steps", "4"}})
            .empty());
}

TEST_CASE("precisions and strategies that cannot go together are named with the reason",
          "[protocol]") {
  const auto wrong = [](const std::map<std::string, std::string>& values) {
    return problem_of("train", values);
  };

  CHECK(wrong({{"precision", "tf32"}}) ==
        "precision tf32 cannot be combined with backend cpu: TF32 is a mode of GPUs; use fp32");
  CHECK(wrong({{"loss", "mse"}, {"model", "gpt-tiny"}}) ==
        "loss mse cannot be combined with model gpt-tiny: it predicts tokens; use cross_entropy");
  // Of CPU cores some compute it: a trial on others ends as unsupported.
  CHECK(wrong({{"precision", "bf16"}}).empty());
  CHECK(contains(wrong({{"precision", "fp16"}}), "no arithmetic"));
  CHECK(contains(wrong({{"strategy", "fsdp"}, {"loss", "mse"}}), "a whole network"));
  CHECK(contains(wrong({{"strategy", "zero2"}, {"accumulation_steps", "2"}}), "use zero1"));
  CHECK(contains(wrong({{"strategy", "fsdp"}, {"comm_dtype", "bf16"}}), "use zero1"));
  CHECK(
      wrong({{"strategy", "zero1"}, {"accumulation_steps", "2"}, {"comm_dtype", "bf16"}}).empty());
  CHECK(contains(wrong({{"strategy", "zero1"}, {"topk", "1"}}), "use ddp"));
  const std::map<std::string, std::string> on_gpu = {
      {"backend", "cuda"}, {"comm", "nccl"}, {"topk", "1"}};
  CHECK(wrong(on_gpu).empty());
  auto scaled = on_gpu;
  scaled["precision"] = "fp16";
  CHECK(contains(wrong(scaled), "topk cannot be combined with precision fp16"));
  CHECK(contains(wrong({{"comm_dtype", "bf16"}, {"topk", "1"}}), "leave one out"));
  CHECK(wrong({{"comm_dtype", "fp32"}, {"topk", "1"}}).empty());  // as they are computed
  CHECK(wrong({{"strategy", "fsdp"}, {"comm_dtype", "fp32"}}).empty());
  CHECK(wrong({{"strategy", "zero1"}, {"topk", "0.0"}}).empty());
}

TEST_CASE("hierarchical sums, stragglers and declared times are refused with the reason",
          "[protocol]") {
  const auto wrong = [](const std::map<std::string, std::string>& values) {
    return problem_of("train", values);
  };

  CHECK(contains(wrong({{"allreduce", "hierarchical"}, {"topk", "1"}}), "use flat"));
  CHECK(contains(wrong({{"allreduce", "hierarchical"}, {"strategy", "fsdp"}}), "use ddp"));
  CHECK(contains(wrong({{"allreduce", "hierarchical"}, {"overlap", "poll"}}), "use thread"));
  for (const char* comm : {"nccl", "mpi_staged"}) {
    CHECK(wrong({{"allreduce", "hierarchical"}, {"backend", "cuda"}, {"comm", comm}}).empty());
  }
  CHECK(wrong({{"allreduce", "hierarchical"}, {"backend", "cuda"}, {"overlap", "stream"}}).empty());
  CHECK(contains(
      wrong({{"allreduce", "hierarchical"}, {"devices", "6"}, {"virtual_node_ranks", "4"}}),
      "does not divide 6 devices"));
  CHECK(wrong({{"straggler_factor", "3"}, {"devices", "2"}}) ==
        "straggler_factor is 3, but compute real takes what it takes; use compute declared, or "
        "straggler_ms");
  CHECK(wrong({{"straggler_factor", "3"},
               {"straggler_rank", "2"},
               {"devices", "2"},
               {"compute", "declared"},
               {"declared_sample_ms", "1"}}) ==
        "straggler_rank is 2, but there are 2 devices; give less");
  CHECK(contains(wrong({{"straggler_ms", "5"}, {"devices", "2"}, {"straggler_rank", "2"}}),
                 "there are 2 devices"));
  CHECK(contains(wrong({{"compute", "declared"}}), "give declared_sample_ms"));
  CHECK(wrong({{"compute", "declared"}, {"declared_step_ms", "5"}}).empty());
  CHECK(wrong({{"compute", "declared"}, {"declared_sample_ms", "5"}, {"comm", "noop"}}).empty());
  CHECK(wrong({{"declared_hop_ms", "0.5"}}) ==
        "declared_hop_ms is 0.5, but compute real takes what it takes; use compute declared");
  CHECK(contains(wrong({{"backend", "cuda"}, {"compute", "declared"}, {"declared_step_ms", "5"}}),
                 "use backend cpu"));
  CHECK(contains(wrong({{"data", "file"}, {"compute", "declared"}, {"declared_step_ms", "5"}}),
                 "use data synthetic"));
  CHECK(
      contains(wrong({{"compute", "declared"}, {"declared_step_ms", "5"}, {"train_samples", "64"}}),
               "nothing is learned"));
  CHECK(contains(wrong({{"compute", "declared"},
                        {"declared_step_ms", "5"},
                        {"model", "gpt-tiny"},
                        {"checkpoint_every", "1"}}),
                 "no layer computes anything again"));
}

TEST_CASE("what a backend lacks is named with the reason", "[protocol]") {
  const auto wrong = [](const std::map<std::string, std::string>& values) {
    return problem_of("train", values);
  };

  CHECK(contains(wrong({{"precision", "fp64"}, {"comm_dtype", "fp16"}}), "oracle"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"precision", "bf16"}, {"comm_dtype", "fp16"}}),
                 "use fp32"));
  CHECK(contains(wrong({{"checkpoint_every", "1"}}), "use a transformer"));
  CHECK(wrong({{"checkpoint_every", "2"}, {"model", "gpt-tiny"}}).empty());
  CHECK(contains(wrong({{"checkpoint_every", "2"}, {"model", "gpt-tiny"}, {"strategy", "fsdp"}}),
                 "use 1"));
  for (const char* strategy : {"zero1", "zero2", "fsdp"}) {
    CHECK(wrong({{"strategy", strategy}, {"precision", "fp16"}, {"backend", "cuda"}}).empty());
  }
  CHECK(contains(wrong({{"comm", "nccl"}}), "use comm mpi"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "shm"}}), "use comm nccl or mpi_staged"));
  CHECK(contains(wrong({{"comm", "shm"}, {"allreduce", "hierarchical"}}), "use flat"));
  CHECK(contains(wrong({{"comm", "shm"}, {"compute", "declared"}, {"declared_step_ms", "1"}}),
                 "use comm mpi"));
  CHECK(contains(wrong({{"comm", "shm"}, {"strategy", "pipeline"}, {"devices", "2"}}),
                 "its stages send messages"));
  CHECK(contains(wrong({{"overlap", "stream"}}), "use overlap poll or thread"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "mpi"}}), "use comm nccl or mpi_staged"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "nccl"}, {"precision", "fp64"}}), "oracle"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "nccl"}, {"overlap", "poll"}}), "stream"));
  CHECK(contains(wrong({{"strategy", "ddp_serial"}, {"overlap", "thread"}}), "after backward"));
  CHECK(contains(wrong({{"cudnn_math", "tf32"}}), "leave it out"));
  CHECK(contains(wrong({{"algorithms", "timed"}}), "leave it out"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"precision", "bf16"}, {"cudnn_math", "tf32"}}),
                 "about fp32"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"deterministic", "true"}, {"algorithms", "timed"}}),
                 "use heuristic"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"precision", "fp16"}, {"comm_dtype", "bf16"}}),
                 "use fp32"));
  CHECK(contains(wrong({{"backend", "cuda"},
                        {"deterministic", "true"},
                        {"env.CUBLAS_WORKSPACE_CONFIG", ":4096:8"}}),
                 "deterministic needs :4096:2"));
}

TEST_CASE("checkpoints and failures go with runs whose state is saved", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.emplace("save_every", "5");
    values.emplace("devices", "2");
    values.emplace("warmup_steps", "10");
    values.emplace("measured_steps", "20");
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"failure", "enospc"}, {"failure_step", "25"}, {"failure_rank", "1"}}).empty());
  CHECK(wrong({{"save_every", "0"}, {"failure", "kill_rank"}, {"failure_step", "29"}}).empty());
  CHECK(wrong({{"failure", "kill_node"}, {"failure_step", "7"}, {"virtual_node_ranks", "1"}})
            .empty());
  CHECK(wrong({{"strategy", "local_sgd"}, {"sync_every", "1"}}) ==
        "save_every cannot be combined with strategy local_sgd: what each rank has by itself is "
        "not saved; "
        "use ddp");
  CHECK(contains(wrong({{"compute", "declared"}, {"declared_step_ms", "5"}}), "have no state"));
  CHECK(contains(wrong({{"topk", "1"}}), "leave topk out"));
  CHECK(contains(wrong({{"strategy", "local_sgd"}}), "what each rank has by itself"));
  CHECK(contains(wrong({{"strategy", "powersgd"}}), "what it has left out"));
  CHECK(contains(wrong({{"nodes", "2"}}), "use nodes 1"));
  CHECK(contains(wrong({{"warmup_time_s", "1"}}), "a fixed number of steps"));
  CHECK(contains(wrong({{"save_every", "31"}}), "nothing would be saved"));
  CHECK(wrong({{"save_every", "30"}}).empty());
  CHECK(
      contains(wrong({{"evaluate", "epochs"}, {"train_samples", "64"}, {"held_out_samples", "64"}}),
               "use evaluate end"));
  CHECK(contains(wrong({{"model", "resnet50-cifar"}, {"held_out_samples", "64"}}),
                 "running statistics are not saved"));
  CHECK(wrong({{"failure_step", "3"}}).empty());  // of other cells along the axis failure
  CHECK(contains(wrong({{"failure", "kill_rank"}}), "give the steps that are done by then"));
  CHECK(
      contains(wrong({{"failure", "kill_rank"}, {"failure_step", "30"}}), "the run has 30 steps"));
  CHECK(contains(wrong({{"failure", "eio"}, {"failure_step", "7"}}), "give a multiple of 5"));
  CHECK(contains(wrong({{"failure", "sigterm"}, {"failure_step", "7"}, {"save_every", "0"}}),
                 "give save_every"));
  CHECK(contains(wrong({{"failure", "kill_rank"}, {"failure_step", "7"}, {"failure_rank", "2"}}),
                 "there are 2 devices"));
}

TEST_CASE("samples of a file go with what can be computed from them", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.emplace("data", "file");
    return problem_of("train", values);
  };

  CHECK(wrong({{"data_samples", "64"}, {"batch_global", "64"}}).empty());
  CHECK(wrong({{"data_samples", "63"}, {"batch_global", "64"}}) ==
        "data_samples is 63, fewer than a step's 64; give at least as many");
  CHECK(contains(wrong({{"data_samples", "63"}, {"batch_per_device", "32"}, {"devices", "2"}}),
                 "fewer than a step's 64"));
  // The trial looks into a file that is given.
  CHECK(wrong({{"data_samples", "63"}, {"batch_global", "64"}, {"data_path", "/f"}}).empty());
  CHECK(wrong({{"data", "synthetic"}, {"data_samples", "63"}, {"batch_global", "64"}}).empty());
  CHECK(wrong({{"backend", "cuda"}, {"comm", "nccl"}}).empty());
  CHECK(contains(wrong({{"loss", "mse"}}), "use cross_entropy"));
  for (const char* name : {"held_out_samples", "epochs", "lr_milestones"}) {
    CHECK(wrong({{name, "64"}}) ==
          std::string(name) +
              " is 64, which goes by train_samples, and data file has none; use data synthetic");
  }
}

// Otherwise such a cell could have no control without communication.
TEST_CASE("the control without communication goes with every way to overlap", "[protocol]") {
  const auto* overlap = GENERATE("none", "poll", "thread");

  CHECK(problem_of("train", {{"comm", "noop"}, {"overlap", overlap}}).empty());
}

TEST_CASE("micro-steps must share the batch of a device evenly", "[protocol]") {
  CHECK(problem_of("train", {{"accumulation_steps", "3"}, {"batch_per_device", "8"}}) ==
        "accumulation_steps is 3, which does not divide 8, the batch of each device; give a "
        "divisor of it");
  CHECK(problem_of("train", {{"accumulation_steps", "4"}, {"batch_per_device", "8"}}).empty());
}

TEST_CASE("ghost batches must share the batch of a pass evenly", "[protocol]") {
  const auto check = [](const char* ghosts) {
    return problem_of("train",
                      {{"model", "resnet50-cifar"},
                       {"accumulation_steps", "2"},
                       {"batch_per_device", "8"},
                       {"model.ghost_batches", ghosts}});
  };

  CHECK(check("8") ==
        "model.ghost_batches is 8, which does not divide 4, the batch of each pass; give a divisor "
        "of it");
  CHECK(check("4").empty());
}

TEST_CASE("accuracy wants samples, whole batches of them, and labels", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"batch_per_device", "32"},
                   {"devices", "2"},
                   {"train_samples", "640"},
                   {"held_out_samples", "128"}});
    return problem_of("train", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"epochs", "3"}, {"evaluate", "epochs"}, {"label_noise", "10"}}).empty());
  CHECK(wrong({{"train_samples", "0"}}) ==
        "held_out_samples is 128, but training data are a few batches used in turn; give "
        "train_samples");
  CHECK(contains(wrong({{"train_samples", "0"}, {"held_out_samples", "0"}, {"epochs", "3"}}),
                 "epochs is 3, but"));
  CHECK(contains(wrong({{"train_samples", "0"}, {"held_out_samples", "0"}, {"lr_milestones", "3"}}),
                 "lr_milestones is 3, but"));
  CHECK(contains(wrong({{"evaluate", "epochs"}, {"held_out_samples", "0"}}), "give held_out"));
  CHECK(wrong({{"held_out_samples", "100"}}) ==
        "held_out_samples is 100, no multiple of the global batch of 64; give 128");
  CHECK(contains(wrong({{"train_samples", "641"}}), "give 704"));
  CHECK(contains(wrong({{"loss", "mse"}}), "no right answers"));
  CHECK(contains(wrong({{"label_noise", "5"}, {"model", "gpt-tiny"}}), "random already"));
  CHECK(contains(wrong({{"label_noise", "5"}, {"loss", "mse"}, {"held_out_samples", "0"}}),
                 "no labels"));
  CHECK(contains(wrong({{"epochs", "1"}, {"warmup_time_s", "0.5"}}), "floors in time"));
  CHECK(contains(wrong({{"epochs", "1"}, {"measured_time_s", "0.5"}}), "floors in time"));
  CHECK(
      wrong({{"epochs", "1"}, {"warmup_steps", "10"}}) ==
      "epochs is 1, which is 10 steps of batch 64, 10 of them warm-up; between 1 and 1000000 must "
      "be left to measure");
  CHECK(wrong({{"epochs", "1"}, {"warmup_steps", "9"}}).empty());
}

// tests/workloads/train/train_program_test.cc counts the values.
TEST_CASE("a run has no more steps than a record holds", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({{"batch_per_device", "8"}, {"warmup_steps", "0"}});
    return problem_of("train", values);
  };

  CHECK(
      wrong({{"measured_steps", "1000000"}}) ==
      "1000000 steps are more than the record of a trial has room for, 800000 of so many devices; "
      "give fewer, or timing light");
  CHECK(wrong({{"measured_steps", "800000"}}).empty());
  CHECK(contains(wrong({{"measured_steps", "800000"}, {"warmup_steps", "1"}}), "800001 steps"));
  CHECK(contains(wrong({{"measured_steps", "200000"}, {"devices", "16"}}), "room for, 114285"));
  CHECK(wrong({{"measured_steps", "1000000"}, {"timing", "light"}}).empty());
  CHECK(contains(wrong({{"measured_steps", "1000000"}, {"timing", "light"}, {"devices", "32"}}),
                 "room for, 571428 of so many devices; give fewer"));
  CHECK(contains(wrong({{"train_samples", "800"}, {"epochs", "9000"}}), "900000 steps"));
  CHECK(contains(problem_of("collective", {{"measured_steps", "1000000"}, {"devices", "32"}}),
                 "room for, 571428"));
}

TEST_CASE("a command's parameters are its own business", "[protocol]") {
  CHECK(problem_of("command", {{"precision", "tf32"}, {"backend", "cpu"}}).empty());
}

TEST_CASE("a text that begins like a number is none", "[protocol]") {
  const std::map<std::string, std::string> values = {
      {"whole", "12"}, {"half", "12abc"}, {"real", "0.5"}, {"unit", "0.5s"}};
  const GivenValues given(values);

  CHECK(given.integer("whole") == 12);
  CHECK(given.integer("half") == 0);
  CHECK(given.integer("real") == 0);
  CHECK(given.real("real") == 0.5);
  CHECK(given.real("unit") == 0.0);
  CHECK(given.integer("absent") == 0);
}

TEST_CASE("a collective goes by what has its buffers", "[protocol]") {
  const auto wrong = [](std::map<std::string, std::string> values) {
    values.insert({"devices", "2"});
    return problem_of("collective", values);
  };

  CHECK(wrong({}).empty());
  CHECK(wrong({{"comm", "shm"}}).empty());
  CHECK(wrong({{"backend", "cuda"}}).empty());
  CHECK(wrong({{"backend", "cuda"}, {"comm", "nccl"}}).empty());
  CHECK(contains(wrong({{"comm", "nccl"}}), "use comm mpi or shm"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "mpi"}}), "use comm nccl"));
  CHECK(contains(wrong({{"backend", "cuda"}, {"comm", "shm"}}), "use comm nccl"));
  CHECK(
      wrong({{"comm", "shm"}, {"operation", "ping_pong"}}) ==
      "comm shm cannot be combined with operation ping_pong: a pair sends messages; use comm mpi");
}
