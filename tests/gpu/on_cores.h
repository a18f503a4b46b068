// check_gpus --several from an installed folder, over CPU cores.
#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"

namespace scalestudy::test {

inline const std::string kSource = SCALESTUDY_SOURCE_DIR "/tests/gpu/";

inline std::string study_file(const std::string& name) {
  return read_file(kSource + "several/" + name + ".yaml");
}

// What prints the line of `doctor` that says how many GPUs there are.
inline std::string gpus(int count) {
  return R"(echo '{"name": "GPUs", "value": )" + std::to_string(count) + R"(, "unit": ""}')";
}

inline void write_program(const std::string& path, const std::string& text) {
  write_file(path, "#!/bin/sh\n" + text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// The installed folder, with studies cut down to what CPU cores do in seconds. What measures one
// GPU plays `count`; the sections in `done`, with their numbers, do not run. Of nccl-tests one
// program is there, of PyTorch nothing.
class OnCores {
 public:
  OnCores(int count, const std::vector<std::string>& done) {
    const ProgramResult installed = run_program({SCALESTUDY_CMAKE,
                                                 "-DCMAKE_INSTALL_PREFIX=" + folder_.file("out"),
                                                 "-DCMAKE_INSTALL_COMPONENT=tests",
                                                 "-P",
                                                 SCALESTUDY_GPU_FOLDER "/cmake_install.cmake"});
    INFO(installed.err);
    REQUIRE(installed.exit_code == 0);
    std::filesystem::create_directory_symlink(SCALESTUDY_TEST_BIN, folder_.file("out/bin"));
    std::filesystem::remove(folder_.file("out/tests/gpu_sections"));
    write_program(folder_.file("out/tests/gpu_sections"),
                  "[ $1 = tests ] || " + gpus(count) + "\n");
    cut_down("strategies", 5);
    cut_down("collectives", 2);
    // Stands for ranks that use NCCL, of which it goes by NTHREADS alone.
    write_file(
        folder_.file("out/tests/several/settings.yaml"),
        "version: 1\nstudy: settings\nworkload: command\ncommand: [" SCALESTUDY_NCCL_HOST
        "]\nzip:\n"
        "- {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: default}\n"
        "- {env.NCCL_NTHREADS: 256, env.NCCL_MAX_NCHANNELS: default}\n"
        "- {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: 2}\n"
        "extract: [{metric: step_time_s, regex: 'step ([0-9.]+) s', unit: s}]\n"
        "steps: {warmup: 1, measured: 5}\ntrials: {count: 2}\n"
        "validity: {confirm: always, calibration: none}\n"
        "analysis: {baseline: {env.NCCL_NTHREADS: default, env.NCCL_MAX_NCHANNELS: default}}\n");
    std::filesystem::create_directory(folder_.file("page"));
    for (const std::string& section : done) {
      write_file(folder_.file("page/" + section + ".jsonl"), "");
    }
    std::filesystem::create_directory(folder_.file("bin"));
    write_program(folder_.file("bin/python3"), "exit 1\n");
    write_program(folder_.file("bin/nvidia-smi"), "echo GPU of $SLURMD_NODENAME\n");
    write_program(folder_.file("bin/all_reduce_perf"),
                  "echo ' 1048576 262144 float sum -1 214.7 39.07 68.37 0 211.4 39.68 69.43 0'\n");
  }

  std::vector<std::string> command() const {
    return {"env",
            "PATH=" + folder_.file("bin") + ":/usr/local/bin:/usr/bin:/bin",
            folder_.file("out/tests/check_gpus"),
            "--several",
            folder_.file("page")};
  }
  std::string results() const { return folder_.file("page/results"); }
  std::string page() const { return read_file(folder_.file("page/page.md")); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_.file(name)); }

 private:
  void cut_down(const std::string& name, int trials) const {
    std::string text = study_file(name) + "validity: {calibration: none}\n";
    const std::vector<std::pair<const char*, std::string>> replacements = {
        {"backend: cuda", "backend: cpu"},
        {"gpt2-124m", "mlp-258k"},
        {"precision: bf16", "precision: fp32"},
        {"count: \\d+", "count: " + std::to_string(trials)},
        {"\\[ddp, zero1, zero2, fsdp\\]", "[ddp]"},
        {"warmup: \\d+, measured: \\d+", "warmup: 1, measured: 4"},
        {", all_gather", ""},
        {"\\[1048576, 67108864, 1073741824\\]", "[1048576]"}};
    for (const auto& [from, to] : replacements) {
      text = std::regex_replace(text, std::regex(from), to);
    }
    write_file(folder_.file("out/tests/several/" + name + ".yaml"), text);
  }

  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
