// What the study parser knows of the models' shapes, against the models themselves.
#include "workloads/parameters/model_shapes.h"

#include <stdexcept>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/named_models.h"
#include "workloads/model/shape/zoo.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy;
using test::named_models;

namespace {

std::vector<std::string> shape_parameters() {
  std::vector<std::string> names;
  for (const protocol::ParameterInfo& info : protocol::workload_parameters("train")) {
    if (info.name.starts_with("model.")) {
      names.emplace_back(info.name.substr(std::string_view("model.").size()));
    }
  }
  return names;
}

bool is_refused_by_parser(const std::string& model, const model::Overrides& overrides) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : overrides) {
    values["model." + name] = std::to_string(value);
  }
  return !protocol::check_model_shape(model, values).empty();
}

bool is_refused_by_model(const std::string& model, const model::Overrides& overrides) {
  try {
    model::find_model(model, overrides);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the parser refuses exactly the parameters that a model refuses", "[model]") {
  REQUIRE(named_models().size() >= 13);
  REQUIRE(shape_parameters().size() >= 7);
  for (const std::string& model : named_models()) {
    CHECK_FALSE(is_refused_by_parser(model, {}));
    for (const std::string& name : shape_parameters()) {
      for (const std::size_t value : {1, 2, 5, 8, 64}) {
        INFO(model << " model." << name << "=" << value);
        CHECK(is_refused_by_parser(model, {{name, value}}) ==
              is_refused_by_model(model, {{name, value}}));
      }
    }
  }
}

TEST_CASE("the parser knows which models have tokens", "[model]") {
  for (const std::string& model : named_models()) {
    INFO(model);
    CHECK(protocol::has_tokens(model) == model::sample_shape(model::find_model(model)).is_tokens);
  }
  CHECK(protocol::has_tokens("gpt-tiny"));
  CHECK_FALSE(protocol::has_tokens("lstm-332k"));
}

TEST_CASE("the parser refuses exactly the widths that heads cannot share", "[model]") {
  for (const char* model : {"gpt-tiny", "gpt2-1558m", "llama-7b", "llama-13b", "llama-30b"}) {
    for (const std::size_t width : {8, 12, 96, 100, 192}) {
      for (const std::size_t heads : {1, 3, 4, 8, 12, 50}) {
        INFO(model << " width " << width << " heads " << heads);
        const model::Overrides overrides{{"width", width}, {"heads", heads}};
        CHECK(is_refused_by_parser(model, overrides) == is_refused_by_model(model, overrides));
      }
    }
  }
}

TEST_CASE("the parser counts the layers that a model has", "[model]") {
  for (const std::string& model : named_models()) {
    CAPTURE(model);
    const auto units = [&](const model::Overrides& overrides) {
      return static_cast<std::int64_t>(
          model::flop_by_unit(model::find_model(model, overrides)).size());
    };
    CHECK(protocol::layer_count(model, {}) == units({}));
    if (!is_refused_by_parser(model, {{"layers", 3}})) {
      CHECK(protocol::layer_count(model, {{"model.layers", "3"}}) == units({{"layers", 3}}));
    }
  }
}

TEST_CASE("a refused shape is told by the parameter that was given, with a way out", "[model]") {
  CHECK(protocol::check_model_shape("lstm-332k", {{"model.heads", "4"}, {"model.width", "8"}}) ==
        "model.heads is not a parameter of lstm-332k; it has model.width, model.sequence");
  CHECK(protocol::check_model_shape("mlp-258k", {{"model.layers", "2"}}) ==
        "model.layers is not a parameter of mlp-258k; it has none of its shape");
  CHECK(protocol::check_model_shape("gpt-tiny", {{"model.heads", "5"}}) ==
        "model.heads is 5, which cannot share a width of 192 (model.width); give a divisor of 192");
  CHECK(protocol::check_model_shape("llama-7b", {{"model.width", "96"}}) ==
        "model.width is 96, which 32 heads (model.heads) cannot share in even parts; give a "
        "multiple of 64");
}
