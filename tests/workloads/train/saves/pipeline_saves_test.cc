// Checkpoints of a pipeline: stages that go on in other processes end with the bits of stages that
// never stopped, and what is of another division is refused.
#include <algorithm>

#include "tests/support/catch.h"
#include "tests/workloads/saved_run.h"
#include "workloads/train/memory/file_systems.h"

using namespace scalestudy;
using Catch::Contains;
using test::events_of;
using test::losses_of;
using test::run_saved;
using test::Trial;
using test::values_of;

namespace {

// Two blocks, and what lies around them: every tensor takes whole multiples of 128 bytes.
const std::string kBlocks =
    R"("model": "llama-7b", "model.layers": 2, "model.width": 32, "model.heads": 2, )"
    R"("model.sequence": 4, "model.vocabulary": 4, "batch_global": 24, "strategy": "pipeline", )"
    R"("accumulation_steps": 4, "warmup_steps": 2)";

std::string more(const std::string& rest) {
  return kBlocks + ", " + rest;
}

}  // namespace

// mlp-258k has dropout, whose masks follow the step. A rank is killed three steps behind a save.
TEST_CASE("stages of which one was killed end with the bits of stages that never were",
          "[train][slow]") {
  const auto [stages, flags] = GENERATE(table<int, std::string>(
      {{2, kBlocks},
       {3, kBlocks + R"(, "optimizer": "adamw", "clip_norm": 0.05)"},
       {3,
        R"("model": "gpt-tiny", "model.layers": 2, "model.width": 32, "model.heads": 2, )"
        R"("model.sequence": 4, "model.vocabulary": 4, "batch_global": 24, "clip_norm": 0.05, )"
        R"("strategy": "pipeline", "accumulation_steps": 4, "warmup_steps": 2)"},
       {3,
        R"("model": "mlp-258k", "batch_global": 12, "strategy": "pipeline", "warmup_steps": 2, )"
        R"("accumulation_steps": 3)"},
       {3, kBlocks + R"(, "data": "file", "data_samples": 70, "data_prefetch": 2)"}}));
  const std::string parameters = flags + R"(, "measured_steps": 14, "save_every": 4)";
  const std::string killed =
      parameters + R"(, "failure": "kill_rank", "failure_step": 11, "failure_rank": 1)";
  CAPTURE(stages, flags);
  const test::TemporaryFolder whole;
  const test::TemporaryFolder parts;
  const Trial undisturbed = run_saved(stages, whole.path(), parameters);

  CHECK(test::run_trial(stages, test::in_folder(parts.path(), killed)).result.exit_code != 0);
  CHECK(std::filesystem::exists(parts.path() / "step_8"));
  const Trial after = run_saved(stages, parts.path(), killed);

  const auto state = test::state_of(whole.path(), 16);
  CHECK(std::ssize(state) == stages);
  CHECK((test::state_of(parts.path(), 16) == state));
  CHECK(losses_of(after) == losses_of(undisturbed));
  CHECK(losses_of(after).size() == 16);
  const auto series = events_of<protocol::Samples>(after.record);
  CHECK(values_of(series, "checkpoint_save_time_s").size() == 2);
  for (int rank = 0; rank < stages; ++rank) {
    CHECK(values_of(series, "step_time_s", rank).size() == 16);
  }
}

// By hand: a block has 4 x 32^2 + 3 x 32 x 256 + 2 x 32 parameters, embedding and output weights
// 64 x 32 each (the vocabulary is padded to 64), the last norm 32; a velocity for each. Times of
// steps are eleven, and the loss.
TEST_CASE("each stage saves the layers that it updates, and the manifest names them", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial = run_saved(2, folder.path(), more(R"("measured_steps": 2, "save_every": 4)"));

  const double block = 4.0 * 1024 + 3.0 * 32 * 256 + 64;
  const auto bytes_of = [&](const std::string& name) {
    return static_cast<double>(test::state_of(folder.path(), 4).at(name).size());
  };
  CHECK(bytes_of("rank_0.state") == 2 * 4 * (block + 2048));
  CHECK(bytes_of("rank_1.state") == 2 * 4 * (block + 2048 + 32));
  CHECK(values_of(events_of<protocol::Samples>(trial.record), "checkpoint_bytes") ==
        std::vector<double>{2 * 4 * (2 * block + 2 * 2048 + 32) + 2 * 4 * 8.0 * (11 + 1)});
  const std::string manifest = test::read_file(folder.path() / "step_4" / "manifest.json");
  CHECK_THAT(manifest,
             Contains(R"("parameter.strategy_layers": "2,2")") ||
                 Contains(R"("parameter.strategy_layers":"2,2")"));
}

TEST_CASE("a checkpoint of other stages is refused by what differs", "[train]") {
  const test::TemporaryFolder folder;
  const std::string saved = R"("measured_steps": 2, "save_every": 2)";
  run_saved(2, folder.path(), more(saved));
  const std::string longer = R"("measured_steps": 6, "save_every": 2)";

  CHECK_THAT(test::refusal(3, folder.path(), more(longer)),
             Contains("a checkpoint of 2 rank(s), this run has 3"));
  std::string other = more(longer);
  other.replace(other.find(R"("pipeline")"), 10, R"("zero1")");
  CHECK_THAT(test::refusal(2, folder.path(), other),
             Contains("a run whose strategy is pipeline, here it is zero1"));
  const std::filesystem::path path = folder.path() / "step_4" / "manifest.json";
  std::string manifest = test::read_file(path);
  const std::size_t layers = manifest.find("2,2");
  REQUIRE(layers != std::string::npos);
  test::write_file(path, manifest.replace(layers, 3, "1,3"));
  CHECK_THAT(test::refusal(2, folder.path(), more(longer)),
             Contains("a run whose strategy_layers is 1,3, here it is 2,2"));
}

// By hand: both states twice, as one replaces another, 2 x 2 x 4 x 61,600 bytes, and times of ten
// steps of both, eleven and a loss.
TEST_CASE("a plan counts checkpoints of all stages in memory", "[train]") {
  if (!train::is_in_memory("/dev/shm")) {
    WARN("not run: /dev/shm is not in memory");
    return;
  }
  const test::ProgramResult result =
      test::run_program({test::train_program(), "--describe"},
                        {"SCALESTUDY_PARAMETERS={" +
                         more(R"("devices": 2, "measured_steps": 8, "save_every": 4, )"
                              R"("save_dir": "/dev/shm")") +
                         "}"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("checkpoints in memory: at most 964.4 KiB"));
}
