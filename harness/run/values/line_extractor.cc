#include "harness/run/values/line_extractor.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/values/beside_group.h"
#include "harness/run/values/json_extractor.h"
#include "harness/run/values/printed_number.h"
#include "harness/study/matrix/command.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

constexpr int kMostRanks = 65'536;  // as protocol::ReadLimits

class RegexExtractor final : public LineExtractor {
 public:
  explicit RegexExtractor(const ExtractRule& rule)
      : LineExtractor(rule),
        regex_(rule.regex, re2::RE2::Quiet),
        borders_(find_borders(rule.regex, rule.group)) {
    if (!regex_.ok() || regex_.NumberOfCapturingGroups() < rule.group) {
      throw BadPattern(regex_.ok() ? fmt::format("no group {}", rule.group) : regex_.error());
    }
    const auto& named = regex_.NamedCapturingGroups();
    const auto rank = named.find(kRankGroup);
    rank_group_ = rank == named.end() ? 0 : rank->second;
    const auto step = named.find(kStepGroup);
    step_group_ = step == named.end() ? 0 : step->second;
  }

  FoundNumbers find(const std::string& line) const override {
    std::vector<re2::StringPiece> groups(
        static_cast<std::size_t>(std::max({rule().group, rank_group_, step_group_})) + 1);
    const bool is_match = regex_.Match(
        line, 0, line.size(), re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()));
    const re2::StringPiece& group = groups[static_cast<std::size_t>(rule().group)];
    if (!is_match || group.data() == nullptr) {
      return {};
    }
    FoundNumbers found{.rank = read_rank(groups), .step = read_step(groups)};
    add_printed(std::string(group.data(), group.size()), rule(), found);
    refuse_part(line, {group.data(), group.size()}, rule(), borders_);
    return found;
  }

 private:
  std::optional<int> read_rank(const std::vector<re2::StringPiece>& groups) const {
    if (rank_group_ == 0) {
      return std::nullopt;
    }
    const re2::StringPiece& text = groups[static_cast<std::size_t>(rank_group_)];
    const auto rank = parse_whole<int>({text.data(), text.size()});
    if (!rank || *rank < 0 || *rank >= kMostRanks) {
      throw BadValue(fmt::format(
          "'{}' is not a rank, 0 to {}", std::string(text.data(), text.size()), kMostRanks - 1));
    }
    return rank;
  }

  std::optional<std::int64_t> read_step(const std::vector<re2::StringPiece>& groups) const {
    const re2::StringPiece& text = groups[static_cast<std::size_t>(step_group_)];
    return step_group_ == 0 || text.data() == nullptr
               ? std::nullopt
               : std::optional(parse_step(std::string_view(text.data(), text.size())));
  }

  re2::RE2 regex_;
  GroupBorders borders_;
  int rank_group_ = 0;  // 0: lines do not say whose they are
  int step_group_ = 0;  // 0: lines do not say of which step they are
};

}  // namespace

std::unique_ptr<LineExtractor> make_line_extractor(const ExtractRule& rule) {
  if (!rule.mllog_key.empty()) {
    return make_mllog_extractor(rule);
  }
  if (!rule.json_path.empty()) {
    return make_json_extractor(rule);
  }
  return std::make_unique<RegexExtractor>(rule);
}

}  // namespace scalestudy
