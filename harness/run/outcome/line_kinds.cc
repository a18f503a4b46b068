#include "harness/run/outcome/line_kinds.h"

#include <re2/re2.h>

#include "harness/text/text.h"

namespace scalestudy {
namespace {

// How a pattern says that a line is of a training.
constexpr const char* kOfTraining = "(?:\\b|_)(?i:train)";

bool names_training(const std::string& text) {
  static const re2::RE2 kTraining(kOfTraining);
  return has(text, kTraining);
}

std::string shown(const KerasBar& bar) {
  return bar.done + "/" + bar.length;
}

}  // namespace

bool names_validation(const std::string& text) {
  static const re2::RE2 kValidation(
      "(^|[^a-z])(val|valid|validation|validating|eval|evaluation|evaluating|test|testing)"
      "([^a-z]|$)");
  return has(lowered(text), kValidation);
}

bool is_of_validation(const Figure& figure) {
  return names_validation(figure.before) && !names_training(figure.before);
}

KerasBar keras_bar(const std::string& line) {
  static const re2::RE2 kBar("^\\s*(\\d+)/(\\d+) (?:\xe2\x94\x81|\\[[=>])");
  KerasBar bar;
  re2::RE2::PartialMatch(line, kBar, &bar.done, &bar.length);
  return bar;
}

void LineKinds::add(const Figure& figure, const std::string& line) {
  has_training_ |= names_training(figure.before);
  has_validation_ |= is_of_validation(figure);
  const KerasBar bar = keras_bar(line);
  has_begun_bars_ |= !bar.is_whole();
  if (bar.is_whole() && !bar.done.empty() && whole_bar_.empty()) {
    whole_bar_ = shown(bar);
  }
}

std::string LineKinds::among() const {
  if (has_training_ && has_validation_) {
    return kOfTraining;
  }
  return has_begun_bars_ && !whole_bar_.empty() ? "\\b" + whole_bar_ + "\\b" : "";
}

bool LineKinds::is_meant(const Figure& figure, const std::string& line) const {
  if (has_training_ && has_validation_) {
    return names_training(figure.before);
  }
  return among().empty() || shown(keras_bar(line)) == whole_bar_;
}

}  // namespace scalestudy
