// How models are divided into stages of a pipeline.
#include "workloads/model/stages.h"

#include <numeric>
#include <stdexcept>

#include "tests/support/catch.h"
#include "tests/workloads/named_models.h"
#include "workloads/model/make_model.h"

using namespace scalestudy;

namespace {

// Units of each stage, in the order of forward.
std::vector<std::size_t> sizes(const model::ModelSpec& spec, std::size_t stages) {
  std::vector<std::size_t> counts;
  for (const model::UnitRun& run : model::divide_units(spec, stages)) {
    counts.push_back(run.end - run.first);
  }
  return counts;
}

model::ModelSpec mlp(std::vector<std::size_t> widths) {
  return {"mlp", model::MlpSpec{std::move(widths), 0.0}};
}

using Counts = std::vector<std::size_t>;

}  // namespace

// FLOP of the layers by hand, over 2: 2 x 6 x 10 of the first, which has no gradient of its input,
// and three times the products of others: 120, 180, 72, 600.
TEST_CASE("stages have the least FLOP that the largest of them can have", "[model]") {
  const model::ModelSpec spec = mlp({6, 10, 6, 4, 50});

  CHECK(sizes(spec, 1) == Counts{4});
  CHECK(sizes(spec, 2) == Counts{3, 1});
  CHECK(sizes(spec, 3) == Counts{1, 2, 1});  // 120, 252, 600: less squares than 300, 72, 600
  CHECK(sizes(spec, 4) == Counts{1, 1, 1, 1});
}

TEST_CASE("blocks are shared evenly, and what lies around them goes to the ends", "[model]") {
  const model::ModelSpec spec =
      model::find_model("llama-7b", {{"layers", 8}, {"vocabulary", 4}, {"sequence", 4}});

  CHECK(sizes(spec, 2) == Counts{5, 5});
  CHECK(sizes(spec, 4) == Counts{3, 2, 2, 3});
}

TEST_CASE("stages follow each other and leave no unit out, and more than units are refused",
          "[model]") {
  for (const std::string& name : test::named_models()) {
    const model::ModelSpec spec = model::find_model(name);
    const std::size_t units = model::flop_by_unit(spec).size();
    for (std::size_t stages = 1; stages <= units; stages += units / 4 + 1) {
      CAPTURE(name, stages);
      std::size_t end = units;
      for (const model::UnitRun& run : model::divide_units(spec, stages)) {
        CHECK(run.end == end);
        CHECK(run.first < run.end);
        end = run.first;
      }
      CHECK(end == 0);
    }
    CHECK_THROWS_AS(model::divide_units(spec, units + 1), std::invalid_argument);
    CHECK_THROWS_AS(model::divide_units(spec, 0), std::invalid_argument);
  }
}

// What a stage puts out is as wide as what the one behind it reads.
TEST_CASE("what units read is what those before them put out", "[model]") {
  const auto [name, overrides] = GENERATE(table<std::string, model::Overrides>(
      {{"mlp-258k", {}},
       {"llama-7b",
        {{"layers", 2}, {"width", 32}, {"heads", 2}, {"sequence", 4}, {"vocabulary", 8}}},
       {"resnet50", {{"layers", 1}, {"width", 8}, {"image", 32}}},
       {"resnet50-cifar", {{"layers", 1}, {"width", 8}, {"image", 16}}},
       {"gru-250k", {{"width", 16}, {"sequence", 4}}}}));
  const model::ModelSpec spec = model::find_model(name, overrides);
  const std::vector<std::size_t> widths = model::input_widths(spec);
  constexpr std::size_t batch = 2;
  const std::vector<std::int32_t> tokens(batch * 4);
  for (std::size_t first = 1; first < widths.size(); ++first) {
    CAPTURE(name, first);
    const auto device = device::make_cpu_device();
    device::Arena arena(*device);
    const auto ops = ops::make_cpu_ops<float>(1);
    const auto stage = model::make_model<float>(
        spec, batch, *ops, arena, {.units = {.first = first, .end = first + 1}});
    const model::SampleShape sample = model::sample_shape(spec);
    const std::size_t read =
        widths[first] == 0 && !sample.is_tokens ? sample.input_width : widths[first];

    const ops::Matrix<float> output = stage->forward(
        {.values = arena.take<float>(batch * read).data(), .tokens = tokens.data()}, {});

    CHECK(output.rows * output.columns == batch * widths[first - 1]);
  }
}

TEST_CASE("parameters of units are those of the model", "[model]") {
  const model::ModelSpec spec = mlp({6, 10, 5});
  const auto device = device::make_planning_device();
  device::Arena arena(*device);
  const auto ops = ops::make_cpu_ops<double>(1);
  const auto units = model::make_model<double>(spec, 1, *ops, arena)->units();

  CHECK(model::parameters_by_unit(spec, units, sizeof(double)) == Counts{10 * 5 + 5, 6 * 10 + 10});
}
