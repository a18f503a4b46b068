// check_gpus in a folder as it is installed, with a stand-in for the programs that measure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace scalestudy::test {

// The stand-in notes which section was asked for, and does what a file of that name says. It
// measures a line "MFU" in the sections `steps` and `strategies`.
class Installed {
 public:
  Installed() {
    std::filesystem::copy(SCALESTUDY_SOURCE_DIR "/tests/gpu/check_gpus",
                          folder_.file("check_gpus"));
    write_bands("gpu_bands.json",
                "steps",
                {"doctor", "tests", "convolutions", "loading", "enqueue", "kernels", "steps"});
    write_bands("several_bands.json",
                "strategies",
                {"doctor",
                 "tests",
                 "links",
                 "strategies",
                 "collectives",
                 "settings",
                 "pipeline",
                 "hierarchical",
                 "trace",
                 "peers"});
    std::filesystem::create_symlink(SCALESTUDY_GPU_PAGE, folder_.file("gpu_page"));
    write_file(
        folder_.file("sections"),
        "#!/bin/sh\ncd " + folder_.path().string() +
            "\necho $1 >> asked\necho \"$@\" >> arguments\ncase $1 in\nsteps|strategies) echo "
            "'{\"name\": \"MFU\", \"value\": 0.4, \"unit\": \"\"}' ;;\nesac\n"
            "[ -f do-$1 ] && . ./do-$1\nexit 0\n");
    std::filesystem::permissions(folder_.file("sections"), std::filesystem::perms::owner_all);
  }

  void tell(const std::string& section, const std::string& commands) {
    write_file(folder_.file("do-" + section), commands + "\n");
  }
  void forget(const std::string& section) {
    std::filesystem::remove(folder_.file("do-" + section));
  }

  ProgramResult run(const std::string& seconds = "100") {
    return run_program({"bash", check(), page_folder()}, environment(seconds));
  }
  // --several, on so many nodes of a Slurm job.
  ProgramResult run_several(int nodes = 1, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = environment("100");
    all.push_back("SLURM_JOB_NUM_NODES=" + std::to_string(nodes));
    all.insert(all.end(), more.begin(), more.end());
    return run_program({"bash", check(), "--several", page_folder()}, all);
  }
  ProgramResult call(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bash", check()});
    return run_program(arguments, environment("100"));
  }
  pid_t start() {
    return start_program({"bash", check(), page_folder()},
                         environment("100"),
                         "/dev/null",
                         "/dev/null",
                         "/dev/null");
  }
  std::string read(const std::string& name) const { return read_file(folder_.file(name)); }
  std::string asked() const { return read("asked"); }
  std::string page() const { return read("page/page.md"); }
  std::string page_folder() const { return folder_.file("page"); }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  std::string check() const { return folder_.file("check_gpus"); }
  std::vector<std::string> environment(const std::string& seconds) const {
    return {"SCALESTUDY_GPU_SECTIONS=" + folder_.file("sections"),
            "SCALESTUDY_GPU_SECONDS=" + seconds};
  }
  void write_bands(const std::string& file,
                   const std::string& measured,
                   const std::vector<std::string>& sections) const {
    std::string bands = R"([{"section": ")" + measured + R"(", "name": "MFU", "least": 0.2})";
    for (const std::string& section : sections) {
      bands +=
          R"(, {"section": ")" + section + R"(", "name": "the section ends well*", "most": 0})";
    }
    write_file(folder_.file(file), bands + "]");
  }

  TemporaryFolder folder_;
};

}  // namespace scalestudy::test
