// gpu_sections SECTION: measures one section of check_gpus and writes its lines to stdout. Exits 77
// without a GPU. Sections: doctor, tests, convolutions, loading, enqueue, kernels, steps.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/support/program.h"
#include "tests/workloads/convolution.h"
#include "workloads/model/shape/residual_shape.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

namespace {

using namespace scalestudy;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// NaN is written as null: not measured.
void write_line(const std::string& name, double value, const char* unit) {
  std::array<char, 32> number{"null"};
  if (std::isfinite(value)) {
    std::snprintf(number.data(), number.size(), "%.9g", value);
  }
  std::printf(
      "{\"name\": \"%s\", \"value\": %s, \"unit\": \"%s\"}\n", name.c_str(), number.data(), unit);
  std::fflush(stdout);
}

fs::path folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

// Dense FLOP/s. source: NVIDIA's data sheets of the SXM modules (H100 PCIe where it says so).
struct Peak {
  const char* device;  // part of its name
  double half;         // bf16 and fp16
  double tf32;
  double fp32;
};
constexpr std::array<Peak, 5> kPeaks = {{{"A100", 312e12, 156e12, 19.5e12},
                                         {"H100 PCIe", 756e12, 378e12, 51e12},
                                         {"H100", 989e12, 494.5e12, 67e12},
                                         {"H200", 989e12, 494.5e12, 67e12},
                                         {"B200", 2250e12, 1125e12, 75e12}}};

// NaN of a device that the table lacks: its lines count as not measured.
double peak_flop_per_s(const std::string& precision) {
  const std::string name = test::require_gpu().facts(0).name;
  for (const Peak& peak : kPeaks) {
    if (name.find(peak.device) != std::string::npos) {
      return precision == "fp32" ? peak.fp32 : (precision == "tf32" ? peak.tf32 : peak.half);
    }
  }
  std::fprintf(stderr, "no peak is known of %s (tests/gpu/sections.cc)\n", name.c_str());
  return std::nan("");
}

void doctor() {
  const cuda::Backend& cuda = test::require_gpu();
  const cuda::DeviceFacts facts = cuda.facts(0);
  std::fprintf(stderr, "%s\n", facts.name.c_str());
  for (const auto& [library, version] : cuda.versions()) {
    std::fprintf(stderr, "%s %s\n", library.c_str(), version.c_str());
  }
  write_line("GPUs", cuda.device_count(), "");
  write_line("compute capability", facts.compute_major + 0.1 * facts.compute_minor, "");
  write_line(
      "theoretical memory bandwidth", facts.memory_bytes_per_s.value_or(std::nan("")), "bytes/s");
}

void tests() {
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("test_workloads_cuda_")) {
      const auto result = test::run_program({entry.path().string()}, {"SCALESTUDY_REQUIRE_GPU=1"});
      std::fputs((result.out + result.err).c_str(), stderr);
      write_line(name, result.exit_code, "exit code");
    }
  }
}

// Of one image, each once; workspaces hold NaN before every call.
void convolutions() {
  std::set<std::string> done;
  for (const char* model : {"resnet50", "resnet50-cifar"}) {
    const auto spec = std::get<model::ResidualSpec>(model::find_model(model).shape);
    std::vector<ops::ConvolutionShape> shapes = {model::residual_stem(spec, 1)};
    for (const auto& block : model::residual_blocks(spec, 1)) {
      for (const auto& shape : block.convolutions()) {
        shapes.push_back(shape);
      }
    }
    for (const ops::ConvolutionShape& s : shapes) {
      std::ostringstream name;
      name << s.height << "x" << s.width << "x" << s.channels << " to " << s.output_channels
           << " kernel " << s.kernel << " stride " << s.stride;
      if (!done.insert(name.str()).second) {
        continue;
      }
      ops::CudaOptions options{.has_poisoned_workspace = true};
      const auto compute = test::convolution(s);
      write_line("fp32 " + name.str(), test::worst_difference<float>(compute, options).value, "");
      write_line(
          "fp16 " + name.str(), test::worst_difference<device::Half>(compute, options).value, "");
      options.has_cudnn_tf32 = true;
      write_line("tf32 " + name.str(), test::worst_difference<float>(compute, options).value, "");
    }
  }
}

train::Options options_of(train::Texts flags, int ranks) {
  flags.emplace("backend", "cuda");
  flags.emplace("comm", "noop");
  flags.emplace("timing", "light");
  return train::make_options(train::complete(train::merge({}, flags), ranks));
}

const train::Texts kGpt2 = {{"model", "gpt2-124m"},
                            {"precision", "bf16"},
                            {"optimizer", "adamw"},
                            {"batch_per_device", "8"}};
const train::Texts kResidual = {
    {"model", "resnet50"}, {"precision", "fp16"}, {"batch_per_device", "64"}};

void loading(const rank::World& world) {
  const auto begin = Clock::now();
  test::require_gpu().make_device(0);
  write_line("libraries and device", since_s(begin), "s");
  const auto model = Clock::now();
  train::make_trainer(options_of(kGpt2, world.size()), world);
  write_line("model and algorithms of gpt2-124m", since_s(model), "s");
}

// Of steps that the device has no others before, so that the host waits for none.
void enqueue(const rank::World& world) {
  constexpr std::size_t steps = 6;
  for (const train::Texts& flags : {kGpt2, kResidual}) {
    train::Texts all = flags;
    all["warmup_steps"] = std::to_string(steps);
    all["measured_steps"] = std::to_string(steps);
    const auto trainer = train::make_trainer(options_of(all, world.size()), world);
    for (std::size_t i = 0; i < steps; ++i) {
      trainer->step(i);
    }
    trainer->parameter_hash();  // waits for all
    const auto begin = Clock::now();
    for (std::size_t i = steps; i < 2 * steps; ++i) {
      trainer->step(i);
    }
    const double host_s = since_s(begin);
    trainer->parameter_hash();
    write_line("host time over step time of " + flags.at("model"), host_s / since_s(begin), "");
  }
}

// Device time of one run, over enough of them to see it.
template <typename Run>
double run_time_s(device::Device& device, const Run& run) {
  constexpr int runs = 20;
  device.reserve_marks(2);
  run();
  device.mark(0);
  for (int i = 0; i < runs; ++i) {
    run();
  }
  device.mark(1);
  return device.elapsed_s(0, 1) / runs;
}

void products(const char* precision, auto& side) {
  constexpr std::size_t n = 8192;
  using T = typename std::remove_reference_t<decltype(side)>::Element;
  T* const a = side.arena.template take<T>(n * n).data();
  T* const c = side.arena.template take<T>(n * n).data();
  const auto product = side.ops->make_matmul({.m = n, .n = n, .k = n}, side.arena);
  const double time_s = run_time_s(side.arena.device(), [&] { product->run(a, a, nullptr, c); });
  write_line(std::string("products ") + precision,
             2.0 * std::pow(static_cast<double>(n), 3) / time_s / peak_flop_per_s(precision),
             "of peak");
}

// Bytes that an operation must move, over its time and the theoretical bandwidth.
void kernels() {
  const ops::CudaOptions timed{.has_timed_algorithms = true};
  {
    test::Side<float> fp32(timed);
    products("fp32", fp32);
    test::Side<float> tf32({.has_tf32 = true, .has_timed_algorithms = true});
    products("tf32", tf32);
    test::Side<device::Bf16> bf16(timed);
    products("bf16", bf16);
    test::Side<device::Half> fp16(timed);
    products("fp16", fp16);
  }
  test::Side<float> side(timed);
  constexpr std::size_t rows = 16384;
  constexpr std::size_t columns = 4096;
  constexpr std::size_t count = rows * columns;
  const double bytes_per_s = test::require_gpu().facts(0).memory_bytes_per_s.value_or(std::nan(""));
  const auto share = [&](const char* name, double arrays, const auto& run) {
    const double time_s = run_time_s(side.arena.device(), run);
    write_line(std::string("bytes of ") + name,
               arrays * sizeof(float) * static_cast<double>(count) / time_s / bytes_per_s,
               "of theory");
  };
  float* const a = side.arena.take<float>(count).data();
  float* const b = side.arena.take<float>(count).data();
  float* const m = side.arena.take<float>(count).data();
  float* const v = side.arena.take<float>(count).data();
  float* const sums = side.arena.take<float>(columns).data();
  share("add", 3.0, [&] { side.ops->add({a, count}, b); });
  share("column sums", 1.0, [&] { side.ops->column_sums({a, rows, columns}, sums); });
  share("dropout", 2.0, [&] {
    side.ops->relu_dropout_forward({a, rows, columns}, ops::make_relu_dropout<float>(0.1), {});
  });
  const ops::Weights<float> weights{.values = {a, count}, .gradients = b};
  share("sgd", 5.0, [&] { side.ops->update(ops::Sgd<float>{0.0F, 0.9F, 0.0F}, weights, m); });
  share("adamw", 7.0, [&] {
    side.ops->update(ops::AdamW<float>{0.0F, 0.9F, 0.999F, 1e-8F, 0.0F, 1.0F, 1.0F}, weights, m, v);
  });
  const auto norm = side.ops->make_row_norm({.rows = rows, .columns = columns}, side.arena);
  share("layer norm", 2.0, [&] { norm->forward(a, sums, sums, b); });
}

void steps(const rank::World& world) {
  for (const train::Texts& flags : {kGpt2, kResidual}) {
    train::Texts all = flags;
    all["warmup_steps"] = "10";
    all["measured_steps"] = "40";
    const train::Options options = options_of(all, world.size());
    const auto trainer = train::make_trainer(options, world);
    for (std::size_t i = 0; i < options.warmup_steps + options.measured_steps; ++i) {
      trainer->step(i);
    }
    auto times = trainer->finish().times;
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(options.warmup_steps));
    std::nth_element(
        times.begin(), times.begin() + 20, times.end(), [](const auto& x, const auto& y) {
          return x[train::kStepTime] < y[train::kStepTime];
        });
    const double flop =
        model::flop_per_sample(options.model) * static_cast<double>(options.batch_per_device);
    const std::string precision = flags.at("precision");
    write_line(flags.at("model") + " " + precision + " MFU",
               flop / times[20][train::kStepTime] / peak_flop_per_s(precision),
               "of peak");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string section = argc == 2 ? argv[1] : "";
  // It starts other programs, outside of MPI.
  if (section == "tests") {
    tests();
    return 0;
  }
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    if (section == "doctor") {
      doctor();
    } else if (section == "convolutions") {
      convolutions();
    } else if (section == "loading") {
      loading(world);
    } else if (section == "enqueue") {
      enqueue(world);
    } else if (section == "kernels") {
      kernels();
    } else if (section == "steps") {
      steps(world);
    } else {
      std::fprintf(stderr, "gpu_sections: there is no section \"%s\"\n", section.c_str());
      return 2;
    }
    return 0;
  });
}
