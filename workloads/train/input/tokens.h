// Synthetic text whose best loss is known: a Markov chain of order 1 over the tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace scalestudy::train {

// Writes one sample of the chain, whose first token is uniform. Every token has four successors,
// drawn by the seed, with probabilities 1/2, 1/4, 1/8 and 1/8, so that each next token carries 7/4
// bits whatever came before: no model's mean cross entropy on fresh samples is less.
//   vocabulary  at least 4; tokens are in [0, vocabulary).
//   sample      number of the sample over all steps and ranks: a sample depends on nothing else.
void fill_sequence(std::span<std::int32_t> sequence,
                   std::size_t vocabulary,
                   std::uint64_t seed,
                   std::uint32_t sample);

}  // namespace scalestudy::train
