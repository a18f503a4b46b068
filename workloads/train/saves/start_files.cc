#include "workloads/train/saves/start_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/layout/run_model.h"
#include "workloads/train/memory/describe.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

class NumberFile {
 public:
  explicit NumberFile(fs::path path)
      : path_(std::move(path)), file_(path_, std::ios::binary | std::ios::trunc) {}

  template <typename Value>
  void write(std::span<const Value> values) {
    const auto bytes = std::as_bytes(values);
    file_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    check();
  }
  void close() {
    file_.close();
    check();
  }

 private:
  void check() {
    if (!file_) {
      throw rank::WorkloadError(protocol::kExitFailed,
                                path_.string() + ": cannot be written (" +
                                    std::generic_category().message(errno) +
                                    "); give a folder with room");
    }
  }

  fs::path path_;
  std::ofstream file_;
};

// All of the run's samples on one rank, one a micro-step, so that the model is of one sample.
Options on_one_rank(const Texts& texts, const rank::World& world) {
  Options options = make_options(complete(texts, rank_count(texts)));
  if (world.size() > 1) {
    flags::refuse("--write-start is for one process, which writes the samples of all devices");
  }
  if (options.declared || options.loss != Loss::kCrossEntropy) {
    flags::refuse(
        "--write-start writes parameters and labels: not with compute declared, which has none, "
        "nor with loss mse");
  }
  options.backend = Backend::kCpu;
  options.precision = Precision::kFp32;
  options.pipeline = {};
  options.batch_per_device = options.batch_global;
  options.accumulation_steps = options.batch_global;
  return options;
}

void write_parameters(const Options& options,
                      const model::Model<float>& model,
                      const fs::path& folder) {
  const std::vector<float> values = model.initial_values(options.seed, ops::Purpose::kStudent);
  const std::vector<model::TensorShape> shapes = model::tensor_shapes(options.model);
  const std::vector<model::TensorShape> padded = model::padded_shapes(options.model);
  const std::vector<std::size_t> taken = model::padded_elements(options.model, sizeof(float));
  NumberFile file(folder / "parameters.f32");
  std::size_t offset = 0;
  for (std::size_t tensor = 0; tensor < shapes.size(); ++tensor) {
    for (std::size_t row = 0; row < shapes[tensor].rows; ++row) {
      file.write(
          std::span(values).subspan(offset + row * padded[tensor].columns, shapes[tensor].columns));
    }
    offset += taken[tensor];
  }
  file.close();
}

void write_samples(const Options& options, Dataset<float>& data, const fs::path& folder) {
  const model::SampleShape shape = model::sample_shape(options.model);
  NumberFile inputs(folder / (shape.is_tokens ? "inputs.i32" : "inputs.f32"));
  NumberFile labels(folder / "labels.i32");
  const std::size_t batches =
      options.data_file ? options.most_steps() : Dataset<float>::batch_count(options);
  for (std::size_t step = 0; step < batches; ++step) {
    data.fetch(step);
    for (std::size_t sample = 0; sample < options.batch_global; ++sample) {
      const Batch<float> batch = data.batch(step, sample);
      if (shape.is_tokens) {
        inputs.write(std::span(batch.input.tokens, shape.input_width));
      } else {
        inputs.write(std::span(batch.input.values, shape.input_width));
      }
      labels.write(std::span(batch.labels, shape.rows));
    }
  }
  inputs.close();
  labels.close();
  NumberFile batch(folder / "batch_global");
  batch.write(std::span<const char>(std::to_string(options.batch_global) + "\n"));
  batch.close();
}

}  // namespace

void write_start(const Texts& texts, const rank::World& world, const fs::path& folder) {
  const Options options = on_one_rank(texts, world);
  std::error_code error;
  fs::create_directories(folder, error);  // else the first file cannot be written, which says why
  const auto device = make_device(options, world);
  device::Arena arena(*device);
  const auto ops = make_ops<float>(options, world, arena);
  const auto model = make_run_model<float>(options, *ops, arena);
  write_parameters(options, *model, folder);
  Dataset<float> data(options, world, *model, arena);
  write_samples(options, data, folder);
  const auto* mlp = std::get_if<model::MlpSpec>(&options.model.shape);
  if (mlp != nullptr && mlp->dropout > 0.0) {
    std::fprintf(stderr,
                 "scalestudy: %s has dropout %g, which each program draws by itself, so that all "
                 "losses differ; compare losses of a model without, such as mlp-4096\n",
                 options.model.name.c_str(),
                 mlp->dropout);
  }
}

}  // namespace scalestudy::train
