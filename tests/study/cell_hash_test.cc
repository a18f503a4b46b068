// Hashes of cells and studies.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/study/matrix/matrix.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::study_of;

const std::string kHashed = std::string(test::kHead) +
                            "parameters: {model: mlp-6.9m, learning_rate: 0.01}\n"
                            "axes: {devices: [1, 2], batch_global: [256]}\n"
                            "controls: [noop]\n"
                            "analysis: {baseline: {devices: 1}}\n";

std::vector<std::string> hashes(const Study& study) {
  std::vector<std::string> all;
  for (const Cell& cell : expand(study).cells) {
    all.push_back(cell.hash);
  }
  return all;
}

TEST_CASE("cell hashes are the ones that stores already hold", "[study]") {
  // XXH3-64 of the canonical text, computed with python-xxhash 4.1.0 (xxHash 0.8.4):
  // "scalestudy cell 1\n", then name=length:value lines: workload, role, parameters in sorted
  // order.
  CHECK(hashes(study_of(kHashed)) == std::vector<std::string>{"a1a4bc95", "863602a1", "2c479086"});
  CHECK(cell_hash(Workload::kCommand, CellRole::kMeasured, {{"size", std::string("25MB")}}) ==
        "de5786ba");
}

TEST_CASE("where a command's devices are changes what is concluded, not which cell it is",
          "[study]") {
  const std::string text =
      "version: 1\nstudy: example\nworkload: command\ncommand: [a, \"{devices}\"]\n"
      "axes: {devices: [1, 2]}\nextract: [{metric: step_time_s, from: wall_time}]\n";
  const Study before = study_of(text);
  const Study remote = study_of(text, {"where=remote"});

  CHECK(hashes(before) == hashes(remote));
  CHECK(study_hash(before) == study_hash(study_of(text, {"where=local"})));
  CHECK(study_difference(before, remote) ==
        std::vector<std::string>{"where: (not given) -> remote"});
  CHECK(trial_difference(before, remote).empty());
}

TEST_CASE("cells of the shipped studies keep the hashes that stores hold of them", "[study]") {
  // XXH3-64 over the hashes of a study's cells, controls included, one a line, as the program made
  // them before cells carried the defaults of their workload.
  const std::map<std::string, std::string> held = {
      {"allreduce-sweep.yaml", "4bbc74c59f1d5501"},
      {"mlp-4096-batch.yaml", "771f76b0552b68b2"},
      {"quickstart.yaml", "bc01198662747441"},
      {"resnet-strong-scaling.yaml", "35aa1ea4c702f848"},
      {"small-mlp-second-device.yaml", "89cd22f760a2227d"}};
  std::map<std::string, std::string> now;
  for (const auto& file : test::yaml_files("studies")) {
    std::string text;
    for (const std::string& hash : hashes(study_of(test::read_file(file.string())))) {
      text += hash + "\n";
    }
    now[file.filename().string()] = text_hash(text);
  }

  for (const auto& [name, hash] : held) {
    CAPTURE(name);
    CHECK(now[name] == hash);
  }
}

// SCALESTUDY_UPDATE_GOLDEN=1 adds the studies that are not in the file. It changes none: a hash
// that differs is a store that no longer finds its cells.
TEST_CASE("every shipped study and valid example keeps its hash and those of its cells",
          "[study]") {
  const std::string path = SCALESTUDY_SOURCE_DIR "/tests/study/examples/hashes.txt";
  std::map<std::string, std::string> held;
  std::istringstream lines(test::read_file(path));
  for (std::string name, hash; lines >> name && std::getline(lines, hash);) {
    held[name] = hash;
  }
  std::map<std::string, std::string> now;
  for (const std::string folder : {"studies", "tests/study/examples/valid"}) {
    for (const auto& file : test::yaml_files(folder)) {
      const Study study = study_of(test::read_file(file.string()));
      std::string cells;
      for (const std::string& hash : hashes(study)) {
        cells += hash + "\n";
      }
      now[folder + "/" + file.filename().string()] =
          fmt::format(" {} {}", study_hash(study), text_hash(cells));
    }
  }
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    held.insert(now.begin(), now.end());
    std::ofstream file(path);
    for (const auto& [name, hash] : held) {
      file << name << hash << "\n";
    }
  }

  CHECK(held == now);
}

TEST_CASE("a new axis at its default leaves the hashes of the cells as they were", "[study]") {
  const auto before = hashes(study_of(kHashed));

  for (const char* extra : {"axes.env.NCCL_ALGO=[default]",
                            "axes.bucket_mb=[25.0]",
                            "axes.nodes=[1]",
                            "parameters.precision=fp32",
                            "axes.comm=[mpi]"}) {
    CAPTURE(extra);
    CHECK(hashes(study_of(kHashed, {extra})) == before);
  }
}

TEST_CASE("every other change of a cell changes its hash", "[study]") {
  const auto before = hashes(study_of(kHashed));

  for (const char* change : {"parameters.bucket_mb=24",
                             "parameters.env.NCCL_ALGO=Ring",
                             "axes.batch_global=[128]",
                             "parameters.precision=fp64"}) {
    CAPTURE(change);
    const auto after = hashes(study_of(kHashed, {change}));
    CHECK(after[0] != before[0]);
    CHECK(after[1] != before[1]);
    CHECK(after[2] != before[2]);
  }
}

// XXH3-64 of "scalestudy cell 1\nworkload=5:train\nrole=8:measured\nbackend=4:cuda\n" by xxHash's
// own C code: the hash such a cell had while overlap was none and algorithms
// were chosen by heuristics on GPUs too.
TEST_CASE("trials of a default that has changed are not those of the new one", "[study]") {
  const auto hash = [](const Parameters& parameters) {
    return cell_hash(Workload::kTrain, CellRole::kMeasured, parameters);
  };
  const Parameters cuda{{"backend", std::string("cuda")}};
  Parameters plain = cuda;
  plain["overlap"] = std::string("none");
  plain["algorithms"] = std::string("heuristic");
  Parameters stream = cuda;
  stream["algorithms"] = std::string("timed");
  stream["overlap"] = std::string("stream");

  CHECK(hash(plain) == "a713c123");
  CHECK(hash(cuda) != hash(plain));
  CHECK(hash(cuda) == hash(stream));
  CHECK(hash({}) == hash({{"overlap", std::string("none")}}));
}

// The hash of an AdamW cell by the version whose default learning rate was 0.01, computed with it.
TEST_CASE("the rate of AdamW is another default than that of older trials", "[study]") {
  const auto hash = [](const Parameters& more) {
    Parameters parameters{{"batch_global", std::int64_t{8}}, {"devices", std::int64_t{2}}};
    parameters.insert(more.begin(), more.end());
    return cell_hash(Workload::kTrain, CellRole::kMeasured, parameters);
  };
  const Value adamw = std::string("adamw");

  CHECK(hash({{"optimizer", adamw}}) != "1141c517");
  CHECK(hash({{"optimizer", adamw}}) == hash({{"optimizer", adamw}, {"learning_rate", 0.001}}));
  CHECK(hash({{"optimizer", adamw}, {"learning_rate", 0.01}}) == "1141c517");
  CHECK(hash({{"learning_rate", 0.01}}) == hash({}));
}

// "1809a569" by the version whose default learning rate was 0.01 for every model, computed with it.
TEST_CASE("a model's own rate is another default than that of older trials", "[study]") {
  const auto hash = [](Parameters parameters) {
    parameters.insert({{"model", std::string("mlp-6.9m")},
                       {"devices", std::int64_t{2}},
                       {"batch_global", std::int64_t{8}}});
    return cell_hash(Workload::kTrain, CellRole::kMeasured, parameters);
  };

  CHECK(hash({}) != "1809a569");
  CHECK(hash({}) == hash({{"learning_rate", 0.001}}));
  CHECK(hash({{"learning_rate", 0.01}}) == "1809a569");
  CHECK(hash({{"model", std::string("mlp-258k")}, {"learning_rate", 0.01}}) ==
        hash({{"model", std::string("mlp-258k")}}));
}

TEST_CASE("values cannot imitate the lines of other parameters", "[study]") {
  const Parameters one{{"a", std::string("1\nb=1:2")}};
  const Parameters two{{"a", std::int64_t{1}}, {"b", std::int64_t{2}}};

  CHECK(cell_hash(Workload::kCommand, CellRole::kMeasured, one) !=
        cell_hash(Workload::kCommand, CellRole::kMeasured, two));
}

TEST_CASE("title, comments, formatting and template leave a study's hash alone", "[study]") {
  const std::string before = study_hash(study_of(kHashed));

  CHECK(before.size() == 16);
  CHECK(study_hash(study_of("# hello\n" + kHashed + "title: Other\nreport: {template: notes}\n")) ==
        before);
  CHECK(study_hash(study_of(kHashed + "trials:\n    count: 5\n")) == before);
}

TEST_CASE("differences are named with both values", "[study]") {
  const Study before = study_of(kHashed);

  CHECK(study_difference(before, before).empty());
  CHECK(study_difference(before, study_of(kHashed, {"trials.count=10"})) ==
        std::vector<std::string>{"trials.count: 5 -> 10"});
  CHECK(study_difference(
            before,
            study_of(kHashed, {"axes.devices=[1]", "controls=null", "limits={max_time: 1h}"})) ==
        std::vector<std::string>{"axes.devices: [1, 2] -> [1]",
                                 "controls.noop: yes -> (not given)",
                                 "limits.max_time: (not given) -> 3600 s"});
}

// 4.2 x 0.001 is the double 0.004200000000000001.
TEST_CASE("a difference is told without the noise of binary numbers", "[study]") {
  const Study in_ms = study_of(kHashed, {"steps.warmup_time=4.2ms"});

  CHECK(study_difference(study_of(kHashed), in_ms) ==
        std::vector<std::string>{"steps.warmup_time: (not given) -> 0.0042 s"});
  // Nothing but the noise differs.
  CHECK(study_difference(in_ms, study_of(kHashed, {"steps.warmup_time=0.0042s"})) ==
        std::vector<std::string>{"steps.warmup_time: 0.004200000000000001 s -> 0.0042 s"});
}

TEST_CASE("a time limit of ten minutes differs from none, though both have one hash", "[study]") {
  const Study none = study_of(kHashed);
  const Study declared = study_of(kHashed, {"limits.timeout=10min"});

  CHECK(study_hash(declared) == study_hash(none));
  CHECK(study_difference(none, declared) ==
        std::vector<std::string>{"limits.timeout: (not given) -> 600 s"});
  CHECK(study_difference(study_of(kHashed, {"limits.timeout=20s"}), none) ==
        std::vector<std::string>{"limits.timeout: 20 s -> (not given)"});
}

TEST_CASE("how many trials there are is no change, what a trial does is one of its cells",
          "[study]") {
  const std::string text =
      "version: 1\nstudy: demo\nworkload: command\ncommand: [sleep, \"{size}\"]\n"
      "axes: {size: [1, 2]}\n";
  const Study before = study_of(text);

  CHECK(declared_difference(
            before, study_of(text, {"trials={min: 2, max: 9, until: 2%}", "limits.max_time=1h"}))
            .empty());
  const Study other = study_of(
      text,
      {"trials.count=9", "steps.measured=7", "command=[nap]", "axes.size=[1]", "limits.retries=0"});
  CHECK(declared_difference(before, other).size() == 5);
  CHECK(trial_difference(before, other) ==
        std::vector<std::string>{"command[0]: sleep -> nap",
                                 "command[1]: {size} -> (not given)",
                                 "steps.measured: 100 -> 7"});
  const Study elsewhere = study_of(
      text, {"env={X: 1}", "setup=[limit]", "cwd=there", "cleanup=[rm, x]", "build=[make]"});
  CHECK(trial_difference(before, elsewhere) ==
        std::vector<std::string>{"build: (not given) -> [make]",
                                 "cleanup: (not given) -> [rm, x]",
                                 "cwd: (not given) -> there",
                                 "env.X: (not given) -> 1",
                                 "setup: (not given) -> [limit]"});
  CHECK(declared_difference(study_of(text, {"cleanup=[rm, x, y]"}), before) ==
        std::vector<std::string>{"cleanup: [rm, x, y] -> (not given)"});
  CHECK(trial_difference(study_of(text, {"cleanup=[rm, x]"}), study_of(text, {"cleanup=[rm]"})) ==
        std::vector<std::string>{"cleanup[1]: x -> (not given)"});
}

TEST_CASE("how narrow a refined break-even is to be is no change", "[study]") {
  const std::string text =
      "version: 1\nstudy: demo\nworkload: train\naxes: {devices: [1, 2], batch_global: [8, 16, 32, "
      "64, 128]}\ntrials: {count: 8}\nanalysis: {baseline: {devices: 1}, thresholds: [{metric: "
      "speedup, along: batch_global, refine: {to: 5%}}]}\n";
  const Study before = study_of(text);

  CHECK(
      declared_difference(before, study_of(text, {"analysis.thresholds.0.refine.to=2%"})).empty());
  CHECK(study_difference(before, study_of(text, {"analysis.thresholds.0.refine.to=2%"})).size() ==
        1);
  CHECK(declared_difference(before, study_of(text, {"analysis.thresholds.0.level=2"})).size() == 1);
}

// As the store of version 1 in tests/fixtures has it.
TEST_CASE("a study without floors in time keeps the hash it always had", "[study]") {
  const Study before = study_of(kHashed);

  const Study after = study_of(kHashed, {"steps.warmup_time=1s", "steps.measured_time=200ms"});

  CHECK(after.steps.warmup_time_s == 1.0);
  CHECK(after.steps.measured_time_s == 0.2);
  CHECK(hashes(after) == hashes(before));
  CHECK(study_difference(before, after) ==
        std::vector<std::string>{"steps.measured_time: (not given) -> 0.2 s",
                                 "steps.warmup_time: (not given) -> 1 s"});
}

}  // namespace
