// Parameters that every built-in workload has, and the table of each; parameters.h finds them by
// name.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

// A text that is made at compile time; one that is too long for it does not compile.
struct MadeText {
  std::array<char, 1280> characters{};
  std::size_t size = 0;

  constexpr void add(std::string_view text) {
    for (const char character : text) {
      characters[size++] = character;
    }
  }
  // The next of the words that a parameter may be: "a|b|c".
  constexpr void add_word(std::string_view word) {
    add(size == 0 ? "" : "|");
    add(word);
  }
  constexpr std::string_view view() const { return {characters.data(), size}; }
};

inline constexpr ParameterInfo kNodes{.name = "nodes",
                                      .kind = ParameterKind::kInteger,
                                      .default_value = "1",
                                      .allowed = "[1, 65536]",
                                      .unit = "machines",
                                      .help = "Number of machines the ranks are spread over."};

inline constexpr ParameterInfo kWarmupSteps{
    .name = "warmup_steps",
    .kind = ParameterKind::kInteger,
    .default_value = "10",
    .allowed = "[0, 1000000]",
    .unit = "steps",
    .help = "Steps before measuring; kept and marked as warm-up."};

inline constexpr ParameterInfo kMeasuredSteps{.name = "measured_steps",
                                              .kind = ParameterKind::kInteger,
                                              .default_value = "100",
                                              .allowed = "[1, 1000000]",
                                              .unit = "steps",
                                              .help = "Steps that count."};

inline constexpr ParameterInfo kWarmupTime{
    .name = "warmup_time_s",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 86400]",
    .unit = "s",
    .help =
        "Warm up for at least this long too, and on until steps are steady, at most four times "
        "that and 60 steps (20 times that where steps are slow). 0: exactly the steps asked "
        "for."};

inline constexpr ParameterInfo kMeasuredTime{
    .name = "measured_time_s",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 86400]",
    .unit = "s",
    .help =
        "Measure for about this long too, judged by the warm-up, in 10,000 steps at most unless "
        "measured_steps is larger."};

std::span<const ParameterInfo> train_parameters();
std::span<const ParameterInfo> collective_parameters();

}  // namespace scalestudy::protocol
