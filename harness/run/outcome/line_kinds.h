// What kind of line a number stands in: of a training or a validation, of a progress bar of Keras.
#pragma once

#include <string>

#include "harness/run/outcome/printed_figures.h"

namespace scalestudy {

// Whether a word says that the text is about a validation, an evaluation or a test.
bool names_validation(const std::string& text);

// Whether what is before the number says that the line is of a validation, and of no training.
bool is_of_validation(const Figure& figure);

// How far a progress bar of Keras is, and how long: 3 and 469 of " 3/469 [>...", or of newer ones.
struct KerasBar {
  std::string done{};  // both "" for a line without such a bar
  std::string length{};

  [[nodiscard]] bool is_whole() const { return done == length; }
};
KerasBar keras_bar(const std::string& line);

// By what the lines of numbers at one place differ, and which of them are meant: of a training and
// a validation those of the training; of bars of Keras, whose times are means since the epoch
// began, the last one of an epoch.
class LineKinds {
 public:
  void add(const Figure& figure, const std::string& line);
  // The pattern for what is before the words in those that are meant; "" if all are.
  [[nodiscard]] std::string among() const;
  [[nodiscard]] bool is_meant(const Figure& figure, const std::string& line) const;

 private:
  bool has_training_ = false;
  bool has_validation_ = false;
  bool has_begun_bars_ = false;
  std::string whole_bar_;  // "469/469", the first; "" for none
};

}  // namespace scalestudy
