#include "harness/run/values/line_extractor.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>

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

  std::vector<FoundNumbers> find(const std::string& line) const override {
    std::vector<re2::StringPiece> groups(
        static_cast<std::size_t>(std::max({rule().group, rank_group_, step_group_})) + 1);
    const re2::StringPiece& group = groups[static_cast<std::size_t>(rule().group)];
    std::vector<FoundNumbers> all;
    std::optional<std::int64_t> step;  // that the line shows once, before its ranks
    std::set<std::optional<int>> ranks;
    for (std::size_t at = 0; at <= line.size() && match(line, at, groups);
         at = std::max(at + 1, next_begin(line, groups))) {
      if (group.data() != nullptr) {
        const std::optional<std::int64_t> own = read_step(groups);
        step = own ? own : step;
        if (const auto rank = read_rank(groups); ranks.insert(rank).second) {
          FoundNumbers& found = all.emplace_back(FoundNumbers{.rank = rank, .step = step});
          add_printed(std::string(group.data(), group.size()), rule(), found);
          refuse_part(line, {group.data(), group.size()}, rule(), borders_);
        }
      }
      if (rank_group_ == 0) {
        break;
      }
    }
    return all;
  }

 private:
  bool match(const std::string& line,
             std::size_t begin,
             std::vector<re2::StringPiece>& groups) const {
    return regex_.Match(line,
                        begin,
                        line.size(),
                        re2::RE2::UNANCHORED,
                        groups.data(),
                        static_cast<int>(groups.size()));
  }

  // Where the match after this one may begin: after the value and its rank. The last character of
  // this one, if it is neither letter nor digit, may be the first of the next.
  std::size_t next_begin(const std::string& line,
                         const std::vector<re2::StringPiece>& groups) const {
    const auto end_of = [&](int number) {
      const re2::StringPiece& text = groups[static_cast<std::size_t>(number)];
      return text.data() == nullptr
                 ? std::size_t{0}
                 : static_cast<std::size_t>(text.data() - line.data()) + text.size();
    };
    const std::size_t end = end_of(0);
    const bool may_share = end > 0 && std::isalnum(static_cast<unsigned char>(line[end - 1])) == 0;
    return std::max({may_share ? end - 1 : end, end_of(rule().group), end_of(rank_group_)});
  }

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
