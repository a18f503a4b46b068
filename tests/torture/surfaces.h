// What a study reads and writes beside its own trials, each with one way to damage it: stores and
// exports of others, its site, templates, machine profiles, Slurm's words, hooks.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/torture/tortured_study.h"

namespace scalestudy::test {

// Damages one thing, lets the program meet it, and says what it was.
using Surface = std::function<std::string(TorturedStudy&, std::mt19937&, Counts&)>;

const std::vector<Surface>& surfaces();

}  // namespace scalestudy::test
