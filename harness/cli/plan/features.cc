#include "harness/cli/plan/features.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/tool.h"
#include "harness/host/gpu_facts.h"
#include "harness/host/shared_library.h"
#include "harness/host/system_machine.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

Feature missing(Feature feature, const std::vector<std::string>& what) {
  feature.is_there = what.empty();
  if (!what.empty()) {
    feature.found = join(what, "; ");
  }
  return feature;
}

std::string workload_problem(const std::string& workload) {
  try {
    static_cast<void>(workload_program(workload));
    return "";
  } catch (const Error&) {
    return "scalestudy-" + workload + " is not beside scalestudy";
  }
}

Feature cpu_training() {
  std::vector<std::string> what;
  if (const std::string problem = workload_problem("train"); !problem.empty()) {
    what.push_back(problem);
  }
  if (!find_program("mpirun")) {
    what.emplace_back("no mpirun in PATH");
  }
  return missing({.name = "CPU training",
                  .found = "scalestudy-train under mpirun",
                  .debian = "install the Debian package; or apt-get install libopenmpi-dev "
                            "openmpi-bin libdnnl-dev, build again",
                  .modules = "module load openmpi onednn, then cmake --preset release "
                             "-DCMAKE_PREFIX_PATH=\"$ONEDNN_ROOT\"",
                  .container = "the image has both; start scalestudy inside it"},
                 what);
}

// The module that workloads load, from where they load it.
std::string cuda_module_problem() {
  const std::string problem = "no libscalestudy_cuda.so: ./dev build, where the CUDA Toolkit is";
  try {
    const fs::path prefix = workload_program("train").parent_path().parent_path();
    return fs::exists(prefix / "lib" / "libscalestudy_cuda.so") ? "" : problem;
  } catch (const Error&) {
    return problem;
  }
}

Feature cuda(Machine& machine) {
  std::vector<std::string> what;
  if (const std::string problem = cuda_module_problem(); !problem.empty()) {
    what.push_back(problem);
  }
  const auto gpus = read_gpus();
  if (!gpus) {
    what.push_back(fmt::format("no NVIDIA driver ({})", kNvmlLibrary));
  } else if (machine.gpus() == 0) {
    what.emplace_back(gpus->count == 0 ? "the driver shows no GPU"
                                       : "CUDA_VISIBLE_DEVICES hides all GPUs");
  }
  return missing({.name = "CUDA",
                  .found = gpus ? "driver " + gpus->driver + ", " + std::to_string(machine.gpus()) +
                                      " visible GPUs"
                                : "",
                  .debian = "NVIDIA's driver and CUDA toolkit from its repository for Debian, then "
                            "cmake --preset release -DSCALESTUDY_ENABLE_CUDA=ON",
                  .modules = "module load cuda cudnn nccl on a node with GPUs, build there with "
                             "-DSCALESTUDY_ENABLE_CUDA=ON",
                  .container = "an image from nvidia/cuda:*-cudnn-devel, started with --gpus all "
                               "(docker) or --nv (apptainer): docs/how-to/gpus-in-containers.md"},
                 what);
}

Feature nccl() {
  const SharedLibrary library("libnccl.so.2");
  auto* version = library.find<int(int*)>("ncclGetVersion");
  return missing({.name = "NCCL",
                  .found = "libnccl.so.2",
                  .debian = "apt-get install libnccl2 libnccl-dev from NVIDIA's repository",
                  .modules = "module load nccl, or LD_LIBRARY_PATH to where libnccl.so.2 is",
                  .container = "is in nvidia/cuda:*-devel images"},
                 version == nullptr ? std::vector<std::string>{"libnccl.so.2 is not found"}
                                    : std::vector<std::string>{});
}

// A feature that is a program in PATH.
Feature program_feature(const std::string& program, Feature feature) {
  const auto path = find_program(program);
  feature.found = path ? path->string() : "";
  return missing(
      std::move(feature),
      path ? std::vector<std::string>{} : std::vector<std::string>{"no " + program + " in PATH"});
}

Feature html() {
  return {.name = "HTML", .is_there = true, .found = "built in: report --html"};
}

// Of another Python than the one in PATH nothing is known.
Feature python_module() {
  std::vector<std::string> what;
  const auto python = find_program("python3");
  std::string found;
  if (!python) {
    what.emplace_back("no python3 in PATH");
  } else {
    found =
        run_tool(
            {python->string(), "-c", "import scalestudy_trial; print(scalestudy_trial.__file__)"})
            .output;
    found.resize(std::min(found.find('\n'), found.size()));
    if (found.empty()) {
      what.emplace_back(
          "python3 has no module scalestudy_trial (it may be copied beside a program)");
    }
  }
  return missing({.name = "Python module",
                  .found = found,
                  .debian = "python3 -m venv ENV && ENV/bin/pip install workloads/protocol",
                  .modules = "pip install --user workloads/protocol, or copy scalestudy_trial.py",
                  .container = "pip install workloads/protocol in the image"},
                 what);
}

Feature gpu_telemetry() {
  const SharedLibrary library(kNvmlLibrary);
  const bool is_there = library.find<int()>("nvmlInit_v2") != nullptr && read_gpus().has_value();
  return missing(
      {.name = "GPU telemetry",
       .found = "NVML",
       .debian = "comes with NVIDIA's driver (libnvidia-ml1)",
       .modules = "comes with the driver: on nodes with GPUs, not on login nodes",
       .container = "NVIDIA's container toolkit passes it in: --gpus all, NVIDIA_DRIVER_"
                    "CAPABILITIES=compute,utility; apptainer: --nv"},
      is_there ? std::vector<std::string>{}
               : std::vector<std::string>{fmt::format("NVML does not answer ({})", kNvmlLibrary)});
}

Feature cpu_energy() {
  const fs::path file = "/sys/class/powercap/intel-rapl:0/energy_uj";
  long long energy_uj = 0;
  std::error_code ignored;
  std::vector<std::string> what;
  if (!fs::exists(file, ignored)) {
    what.push_back("the kernel shows no counter (" + file.string() +
                   "): a virtual machine, or a processor without RAPL");
  } else if (!(std::ifstream(file) >> energy_uj)) {
    what.push_back(file.string() + " may not be read");
  }
  return missing({.name = "CPU energy",
                  .found = "RAPL",
                  .debian = "modprobe intel_rapl_common; chmod o+r " + file.string() +
                            " (root alone may read it since Linux 5.10)",
                  .modules = "ask who runs the cluster for read access to it",
                  .container = "the host's file is seen where it may be read there; docker masks "
                               "/sys/class/powercap unless started with "
                               "--security-opt systempaths=unconfined"},
                 what);
}

}  // namespace

std::vector<Feature> examine_features() {
  SystemMachine machine;
  return {
      cpu_training(),
      cuda(machine),
      nccl(),
      program_feature("gnuplot",
                      {.name = "figures",
                       .debian = "apt-get install gnuplot-nox",
                       .modules = "module load gnuplot",
                       .container = "apt-get install gnuplot-nox in the image"}),
      html(),
      program_feature("sbatch",
                      {.name = "Slurm",
                       .debian = "apt-get install slurm-client, with the cluster's slurm.conf",
                       .modules = "log in to the cluster; some need module load slurm",
                       .container = "bind the cluster's client, slurm.conf and munge socket, or "
                                    "submit from outside"}),
      python_module(),
      gpu_telemetry(),
      cpu_energy()};
}

}  // namespace scalestudy
