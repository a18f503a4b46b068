#include "workloads/train/options/options.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/parameters/combinations.h"
#include "workloads/parameters/parameters.h"
#include "workloads/parameters/strategies.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/layout/layout.h"

using namespace scalestudy;
using train::Texts;

namespace {

Texts parsed(std::vector<const char*> arguments) {
  return train::parse_flags(arguments);
}

// The message of the usage error, empty when there is none.
std::string refusal(const Texts& environment, const Texts& given, int ranks) {
  try {
    train::complete(train::merge(environment, given), ranks);
  } catch (const rank::WorkloadError& error) {
    return error.exit_code() == protocol::kExitUsage ? error.what() : "another exit code";
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("flags win over the environment, and both over defaults", "[train]") {
  const Texts texts = train::complete(
      train::merge({{"seed", "5"}, {"threads", "2"}, {"batch_global", "8"}}, parsed({"--seed=7"})),
      2);

  CHECK(texts.at("seed") == "7");
  CHECK(texts.at("threads") == "2");
  CHECK(texts.at("learning_rate") == "0.01");
}

TEST_CASE("a flag that there is not is named, the first of several", "[train]") {
  try {
    parsed({"--batch-global=8", "--warmup-time", "1", "--width=2"});
    FAIL("was taken");
  } catch (const rank::WorkloadError& error) {
    CHECK(std::string(error.what()) ==
          "--warmup-time is not a flag; scalestudy-train --help lists them");
  }
}

TEST_CASE("a number that is nearly 0 is one", "[train]") {
  const Texts texts =
      train::complete(train::merge({}, parsed({"--batch-global=8", "--learning-rate=1e-310"})), 1);

  CHECK(train::make_options(texts).learning_rate == 1e-310);
}

TEST_CASE("each word that the table of parameters allows has a meaning", "[train]") {
  const Texts texts = train::complete(train::merge({}, parsed({"--batch-global", "8"})), 1);
  std::size_t words = 0;
  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters("train")) {
    if (parameter.kind != protocol::ParameterKind::kText) {
      continue;
    }
    std::istringstream allowed{std::string(parameter.allowed)};
    for (std::string word; std::getline(allowed, word, '|'); ++words) {
      Texts changed = texts;
      changed[std::string(parameter.name)] = word;
      INFO(parameter.name << " " << word);
      CHECK_NOTHROW(train::make_options(changed));
    }
  }
  CHECK(words > 40);
}

TEST_CASE("both batches are known whichever was given", "[train]") {
  const Texts strong = train::complete(train::merge({}, parsed({"--batch-global", "8"})), 4);
  const Texts weak = train::complete(train::merge({}, parsed({"--batch-per-device", "8"})), 4);

  CHECK(strong.at("batch_per_device") == "2");
  CHECK(weak.at("batch_global") == "32");
  CHECK(weak.at("devices") == "4");
}

TEST_CASE("a batch flag replaces the environment's batch of the other kind", "[train]") {
  CHECK(refusal({{"batch_global", "8"}}, parsed({"--batch-per-device", "3"}), 2).empty());
}

TEST_CASE("a dotted parameter has a dashed flag", "[train]") {
  const Texts texts = train::complete(
      train::merge({},
                   parsed({"--model", "mlp-4096", "--model-layers", "1", "--batch-global", "1"})),
      1);

  const model::ModelSpec spec = train::make_options(texts).model;
  CHECK(std::get<model::MlpSpec>(spec.shape).widths == std::vector<std::size_t>{4096, 4096, 2048});
}

TEST_CASE("who sums gradients follows the backend unless it is given", "[train]") {
  const auto comm = [](const Texts& environment, const Texts& flags) {
    return train::merge(environment, flags).at("comm");
  };

  CHECK(comm({}, {}) == "mpi");
  CHECK(comm({}, {{"backend", "cuda"}}) == "nccl");
  CHECK(comm({{"backend", "cuda"}}, {}) == "nccl");
  CHECK(comm({{"backend", "cuda"}}, {{"backend", "cpu"}}) == "mpi");
  CHECK(comm({{"comm", "mpi_staged"}}, {{"backend", "cuda"}}) == "mpi_staged");
}

// As PyTorch's DistributedDataParallel does it, unless there is nothing to overlap.
TEST_CASE("training on GPUs overlaps unless strategy or transport leave nothing to", "[train]") {
  const auto overlap = [](Texts flags) {
    flags["batch_per_device"] = "8";
    return train::complete(train::merge({}, flags), 1).at("overlap");
  };

  CHECK(overlap({}) == "none");
  CHECK(overlap({{"backend", "cuda"}}) == "stream");
  CHECK(overlap({{"backend", "cuda"}, {"comm", "noop"}}) == "stream");
  CHECK(overlap({{"backend", "cuda"}, {"overlap", "none"}}) == "none");
  CHECK(overlap({{"backend", "cuda"}, {"strategy", "ddp_serial"}}) == "none");
  CHECK(overlap({{"backend", "cuda"}, {"strategy", "local_sgd"}}) == "none");
  CHECK(overlap({{"backend", "cuda"}, {"strategy", "powersgd"}}) == "none");
  CHECK(overlap({{"backend", "cuda"}, {"comm", "mpi_staged"}}) == "none");
}

TEST_CASE("what a GPU's libraries decide follows precision and determinism", "[train]") {
  const auto options = [](Texts flags) {
    flags["backend"] = "cuda";
    flags["batch_per_device"] = "8";
    return train::make_options(train::complete(train::merge({}, flags), 1));
  };

  CHECK_FALSE(options({}).has_cudnn_tf32);
  CHECK(options({{"precision", "tf32"}}).has_cudnn_tf32);
  CHECK(options({{"cudnn_math", "tf32"}}).has_cudnn_tf32);
  CHECK(options({{"cudnn_math", "tf32"}}).precision == train::Precision::kFp32);
  CHECK_FALSE(options({{"precision", "tf32"}, {"cudnn_math", "fp32"}}).has_cudnn_tf32);
  CHECK(options({}).has_timed_algorithms);
  CHECK_FALSE(options({{"deterministic", "true"}}).has_timed_algorithms);
  CHECK(options({}).workspace_bytes == 64.0 * 1048576.0);
  CHECK(options({{"workspace_mb", "8"}}).workspace_bytes == 8.0 * 1048576.0);
  CHECK_FALSE(options({}).wire_type.has_value());
  CHECK(options({{"comm_dtype", "bf16"}}).wire_type == device::DataType::kBfloat16);
  CHECK(options({{"comm_dtype", "fp16"}}).wire_type == device::DataType::kFloat16);
  CHECK(options({{"comm_dtype", "fp32"}}).wire_type == device::DataType::kFloat32);
}

TEST_CASE("bucket sizes are mebibytes", "[train]") {
  const Texts texts =
      train::complete(train::merge({}, parsed({"--bucket-mb", "0.5", "--batch-global", "1"})), 1);

  CHECK(train::make_options(texts).bucket_bytes == 524288.0);
}

// 3 epochs of 640 / 64 steps, less 4 of warm-up.
TEST_CASE("epochs give the number of measured steps", "[train]") {
  const Texts texts = train::complete(train::merge({},
                                                   parsed({"--batch-per-device=32",
                                                           "--train-samples=640",
                                                           "--epochs=3",
                                                           "--warmup-steps=4",
                                                           "--measured-steps=7",
                                                           "--lr-milestones=1,2",
                                                           "--label-noise=5"})),
                                      2);
  const train::Options options = train::make_options(texts);

  CHECK(texts.at("measured_steps") == "26");
  CHECK(options.most_steps() == 30);
  CHECK(options.steps_per_epoch() == 10);
  CHECK(options.rate_milestones == std::vector<std::size_t>{1, 2});
  CHECK(options.label_noise == Approx(0.05).epsilon(1e-15));
}

TEST_CASE("the number of the block is added to a seed that varies", "[train]") {
  const auto seed = [](const char* block, const std::string& varies) {
    setenv("SCALESTUDY_BLOCK", block, 1);
    const Texts texts =
        train::merge({{"seed", "40"}, {"vary_seed", varies}, {"batch_global", "8"}}, {});
    const std::string refused = refusal(texts, {}, 1);
    const std::string found = refused.empty() ? train::complete(texts, 1).at("seed") : refused;
    unsetenv("SCALESTUDY_BLOCK");
    return found;
  };

  CHECK(seed("2", "true") == "42");
  CHECK(seed("0", "true") == "40");
  CHECK(seed("2", "false") == "40");
  CHECK(contains(seed("two", "true"), "SCALESTUDY_BLOCK is \"two\""));
  CHECK(train::complete(
            train::merge({{"seed", "40"}, {"vary_seed", "true"}, {"batch_global", "8"}}, {}), 1)
            .at("seed") == "40");
}

TEST_CASE("bad parameters are usage errors that say what is wrong", "[train]") {
  CHECK(contains(refusal({}, {}, 1), "no batch is given"));
  CHECK(
      contains(refusal({}, parsed({"--batch-global=4", "--batch-per-device=4"}), 1), "both given"));
  CHECK(contains(refusal({}, parsed({"--batch-global=7"}), 2), "cannot share"));
  CHECK(contains(refusal({{"devices", "3"}}, parsed({"--batch-global=6"}), 2), "mpirun -n 3"));
  CHECK(contains(refusal({}, parsed({"--batch-global=x"}), 1), "batch_global"));
  CHECK(contains(refusal({}, parsed({"--batch-global=1", "--model=mlp-9"}), 1), "mlp-258k"));
  CHECK(contains(refusal({{"sede", "1"}}, parsed({"--batch-global=1"}), 1), "no parameter sede"));
  CHECK_THROWS_AS(parsed({"--bogus", "1"}), rank::WorkloadError);
}

TEST_CASE("values that cannot go together are a usage error", "[train]") {
  const Texts batch = {{"batch_global", "8"}};

  CHECK(contains(refusal(batch, parsed({"--precision=fp16"}), 1), "have no arithmetic of it"));
  CHECK(contains(refusal(batch, parsed({"--accumulation-steps=4"}), 4), "does not divide 2"));
  CHECK(refusal(batch, parsed({"--accumulation-steps=2"}), 4).empty());
}

TEST_CASE("every word of a choice has its option", "[train]") {
  const auto options = [](const Texts& values) {
    Texts texts = train::merge({{"batch_global", "8"}}, {});
    texts["batch_per_device"] = "8";
    for (const auto& [name, text] : values) {
      texts[name] = text;
    }
    return train::make_options(texts);
  };

  CHECK(options({{"precision", "fp64"}}).precision == train::Precision::kFp64);
  CHECK(options({{"precision", "fp32"}}).precision == train::Precision::kFp32);
  CHECK(options({{"precision", "tf32"}}).precision == train::Precision::kTf32);
  CHECK(options({{"precision", "bf16"}}).precision == train::Precision::kBf16);
  CHECK(options({{"precision", "fp16"}}).precision == train::Precision::kFp16);
  CHECK(options({{"comm", "mpi"}}).transport == train::Transport::kMpi);
  CHECK(options({{"comm", "noop"}}).transport == train::Transport::kNoop);
  CHECK(options({{"comm", "nccl"}}).transport == train::Transport::kNccl);
  CHECK(options({{"comm", "mpi_staged"}}).transport == train::Transport::kMpiStaged);
  CHECK(options({{"overlap", "none"}}).overlap == sync::Overlap::kNone);
  CHECK(options({{"overlap", "poll"}}).overlap == sync::Overlap::kPoll);
  CHECK(options({{"overlap", "stream"}}).overlap == sync::Overlap::kBackground);
  CHECK_FALSE(options({{"overlap", "stream"}}).has_comm_thread);
  CHECK(options({{"overlap", "thread"}}).has_comm_thread);
  CHECK(options({{"strategy", "ddp_serial"}}).is_serial);
  CHECK(options({{"deterministic", "true"}}).is_deterministic);
  CHECK(options({{"device_peak_flops", "1e12"}}).device_peak_flop_per_s == 1e12);
  CHECK_FALSE(options({{"data_prefetch", "2"}}).data_file.has_value());
  const auto read = options({{"data", "file"}}).data_file;
  REQUIRE(read.has_value());
  CHECK(read->path.empty());
  CHECK(read->samples == 4096);
  CHECK(read->prefetch == 0);
  CHECK(read->decode_s == 0.0);
  CHECK_FALSE(read->drops_cache);
  const auto given = options({{"data", "file"},
                              {"data_path", "/data"},
                              {"data_samples", "9"},
                              {"data_prefetch", "3"},
                              {"decode_us", "50"},
                              {"data_cache", "drop"}})
                         .data_file;
  REQUIRE(given.has_value());
  CHECK(given->path == "/data");
  CHECK(given->samples == 9);
  CHECK(given->prefetch == 3);
  CHECK(given->decode_s == Approx(50e-6));
  CHECK(given->drops_cache);
}

TEST_CASE("help names every parameter with its default", "[train]") {
  const std::string help = train::help_text();

  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters("train")) {
    INFO(parameter.name);
    CHECK(contains(help, std::string(parameter.help)));
  }
  CHECK(contains(help, "--model-layers"));
  CHECK(contains(help, "mpirun -n 2 --bind-to core scalestudy-train --batch-global 256"));
}

TEST_CASE("ranks have whole shares of the batch by weight, one behind the other", "[train]") {
  const train::Options options = train::make_options(train::complete(
      train::merge({}, {{"batch_global", "72"}, {"shares", "1:5:3"}, {"devices", "3"}}), 3));

  CHECK(options.ranks() == 3);
  // 72 samples are nine of 8.
  CHECK(train::first_of_share(options, 0) == 0);
  CHECK(train::first_of_share(options, 1) == 8);
  CHECK(train::first_of_share(options, 2) == 48);
  CHECK(train::first_of_share(options, 3) == 72);
  CHECK(train::for_rank(options, 0).batch_per_device == 8);
  CHECK(train::for_rank(options, 1).batch_per_device == 40);
  CHECK(train::for_rank(train::for_rank(options, 1), 2).batch_per_device == 24);
}

// The gradients of mlp-258k take 1 MiB.
TEST_CASE("the size of buckets is read with the strategies that cut gradients by it", "[train]") {
  for (const protocol::StrategyInfo& strategy : protocol::strategies()) {
    if (strategy.has_stages) {
      continue;  // which sums no gradients
    }
    CAPTURE(strategy.name);
    const std::string word(strategy.name);
    const auto bucket_count = [&](const char* size) {
      const train::Options options =
          train::make_options(train::complete(train::merge({},
                                                           {{"strategy", word},
                                                            {"batch_global", "8"},
                                                            {"bucket_mb", size},
                                                            {"first_bucket_mb", size}}),
                                              2));
      return train::make_buckets(options, train::plan_units(options)).size();
    };
    const bool is_read =
        protocol::unread_reason("train", "bucket_mb", {{"strategy", word}}).empty();

    CHECK(is_read == (bucket_count("0.05") != bucket_count("25")));
  }
}
