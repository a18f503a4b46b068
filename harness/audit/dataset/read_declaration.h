// The parts of dataset.yaml that columns and statements share.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/dataset.h"
#include "harness/audit/figure/quantity.h"
#include "harness/yaml/fields.h"

namespace scalestudy::audit {

// The dataset that is filled, where problems go, and what can only be checked at the end.
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

// Reads a map such as `{devices: 2, model: mlp}`, whose numbers are typed as printed; empty if the
// key is missing.
Given read_given(Fields& fields, const std::string& key, ReadContext& context);

// Reads a list of names, in order.
std::vector<std::string> read_names(Fields& fields, const std::string& key, ReadContext& context);

// The keys that read_declaration reads.
extern const std::vector<std::string> kDeclarationKeys;

// - columns_allowed: whether rules may name columns; a statement's may not.
Declaration read_declaration(Fields& fields, bool columns_allowed, ReadContext& context);

// How figures with this declaration are read.
FigureReading reading_for(const Declaration& declared);

}  // namespace scalestudy::audit
