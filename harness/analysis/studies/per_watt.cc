#include "harness/analysis/studies/per_watt.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// W of a device that the publication declares: in a column of the figure's row, or in its text
// under conditions that are the figure's, too. Absent without any, and where it declares several.
std::optional<double> published_watts(const PublicationRow& publication,
                                      const PublishedFigureRow& figure) {
  const std::map<std::string, std::string> conditions = parse_conditions(figure.conditions);
  std::set<double> watts;
  for (const PublishedFigureRow& power : publication.figures) {
    if (power.quantity != "power_per_device" || !power.value) {
      continue;
    }
    const bool is_in_text =
        !power.row && std::ranges::includes(conditions, parse_conditions(power.conditions));
    const bool is_in_row =
        power.row && power.row == figure.row && power.table_name == figure.table_name;
    if (is_in_text || is_in_row) {
      watts.insert(*power.value);
    }
  }
  return watts.size() == 1 && *watts.begin() > 0.0 ? std::optional(*watts.begin()) : std::nullopt;
}

}  // namespace

void set_per_watt(CounterpartRow& row,
                  const PublicationRow& publication,
                  const PublishedFigureRow& figure,
                  const Study& study) {
  const bool is_rate = figure.quantity == names::kThroughputPerDevice ||
                       (figure.quantity == names::kThroughput &&
                        parse_conditions(figure.conditions).contains(names::kDevices));
  if (!is_rate || !row.ratio || !study.cost || !study.cost->energy) {
    return;
  }
  row.published_watts = published_watts(publication, figure);
  if (!row.published_watts) {
    return;
  }
  const auto by_watt = [&](std::optional<double> ratio) {
    return ratio
               ? std::optional(*ratio * *row.published_watts / study.cost->energy->watts_per_device)
               : std::nullopt;
  };
  row.per_watt = by_watt(row.ratio);
  row.per_watt_lo = by_watt(row.ratio_lo);
  row.per_watt_hi = by_watt(row.ratio_hi);
}

}  // namespace scalestudy
