// Does a result agree with an oracle? The rules are those of oracles/FORMAT.md.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace scalestudy::test {

// One sentence per disagreement, empty when `got` has everything `expected` asks for. A key that
// `got` lacks counts as null; keys that only `got` has are not looked at.
//
// A number passes if |got - want| <= max(abs, rel |want|), so NaN never does. Booleans, strings and
// whole numbers (a count of ours, not a real number that the file happens to write without a point)
// must be equal; null means absent.
//
// With lo_range and hi_range (Monte-Carlo results), `got` must have its lo and hi inside them and
// at least min_resamples `resamples`; the numbers of the ideal bootstrap are not compared.
std::vector<std::string> mismatches(const nlohmann::json& expected,
                                    const nlohmann::json& got,
                                    const nlohmann::json& tolerance);

}  // namespace scalestudy::test
