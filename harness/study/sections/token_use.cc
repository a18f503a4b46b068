#include "harness/study/sections/token_use.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/parameters/model_shapes.h"

namespace scalestudy {
namespace {

constexpr const char* kTokenCost = "cost_per_million_tokens";

// A place where a study asks about tokens.
struct Question {
  const YamlNode& at;
  std::string path;
  const char* instead;    // what does not count tokens
  Parameters where = {};  // selects the cells that are asked; empty: all
};

// The node at these keys, one below the other, or the last of them that there is.
const YamlNode& node_at(const YamlNode& root, std::initializer_list<std::string> keys) {
  const YamlNode* node = &root;
  for (const std::string& key : keys) {
    const YamlNode* found = node->find(key);
    node = found == nullptr ? node : found;
  }
  return *node;
}

std::vector<Question> questions(const YamlNode& root, const Study& study) {
  std::vector<Question> all;
  const std::vector<Target>& targets = study.analysis.targets;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].metric == names::kTokensPerSecond) {
      const YamlNode& item = node_at(root, {"analysis", "targets"}).items.at(i);
      all.push_back({node_at(item, {"metric"}),
                     fmt::format("analysis.targets[{}].metric", i),
                     names::kThroughput,
                     targets[i].where});
    }
  }
  const std::vector<ThresholdRequest>& thresholds = study.analysis.thresholds;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    if (thresholds[i].metric == names::kTokensPerSecond) {
      const YamlNode& item = node_at(root, {"analysis", "thresholds"}).items.at(i);
      all.push_back({node_at(item, {"metric"}),
                     fmt::format("analysis.thresholds[{}].metric", i),
                     names::kThroughput});
    }
  }
  for (const Limit& limit : study.analysis.within) {
    const bool is_cost = limit.metric == kTokenCost;
    if (is_cost || limit.metric == names::kTokensPerSecond) {
      all.push_back({node_at(root, {"analysis", "within", limit.metric}),
                     "analysis.within." + limit.metric,
                     is_cost ? "cost_per_million_samples" : names::kThroughput});
    }
  }
  if (study.cost && study.cost->train && study.cost->train->tokens > 0.0) {
    all.push_back({node_at(root, {"cost", "train", "tokens"}), "cost.train.tokens", "samples"});
  }
  return all;
}

// The models of the cells that `where` selects.
std::vector<std::string> models_of(const Matrix& matrix, const Parameters& where) {
  std::set<std::string> models;
  for (const Cell& cell : matrix.cells) {
    const auto model = effective_value(cell.effective, names::kModel);
    if (model && std::ranges::all_of(where, [&](const auto& entry) {
          return effective_value(cell.effective, entry.first) == entry.second;
        })) {
      models.insert(format_value(*model));
    }
  }
  return {models.begin(), models.end()};
}

}  // namespace

void check_tokens(const Fields& root, SectionContext& context, const Matrix& matrix) {
  if (context.study.workload != Workload::kTrain) {
    return;
  }
  for (const Question& question : questions(root.node(), context.study)) {
    const std::vector<std::string> models = models_of(matrix, question.where);
    if (!models.empty() && std::ranges::none_of(models, protocol::has_tokens)) {
      context.problems.refuse(
          question.at,
          fmt::format("{} asks about tokens, but {} none; use {}, or a model with tokens such as "
                      "gpt-tiny",
                      question.path,
                      models.size() == 1 ? "model " + models.front() + " has"
                                         : "models " + join_words(models) + " have",
                      question.instead));
    }
  }
}

}  // namespace scalestudy
