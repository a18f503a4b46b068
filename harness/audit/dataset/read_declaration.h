// The parts of dataset.yaml that columns and statements share.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/audit/figure/quantity.h"
#include "harness/yaml/fields.h"

namespace scalestudy::audit {

// What is read into, where problems go, and what can only be checked at the end.
struct ReadContext {
  struct LabelUse {
    std::string name;
    YamlNode at;
  };

  Dataset& dataset;
  ProblemList& problems;
  std::string file;                    // path of dataset.yaml, for places
  std::vector<LabelUse> label_uses{};  // condition names that must be columns of labels
};

FilePlace place_of(const YamlNode& node, const ReadContext& context);

// `{devices: 2, model: mlp}`: numbers are typed as printed. Empty when the key is not there.
Given read_given(Fields& fields, const std::string& key, ReadContext& context);

// Names in a list of text, in order.
std::vector<std::string> read_names(Fields& fields, const std::string& key, ReadContext& context);

// The keys of Declaration; `columns_allowed` says whether rules may name columns.
extern const std::vector<std::string> kDeclarationKeys;
Declaration read_declaration(Fields& fields, bool columns_allowed, ReadContext& context);

// How figures so declared are read.
FigureReading reading_for(const Declaration& declared);

}  // namespace scalestudy::audit
