// The NIST StRD data sets, through the parts of stats/ that everything else stands on.
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "stats/least_squares.h"
#include "stats/reference/description.h"
#include "stats/variance_components.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

Json nist_univariate(const Json& input) {
  const stats::Description d = stats::descriptive(numbers(input, "x"));
  return {{"mean", to_json(d.mean)},
          {"sd", to_json(d.sd)},
          {"lag1_autocorrelation", to_json(d.lag1_autocorrelation)}};
}

Json nist_anova(const Json& input) {
  const auto trials = groups(input, "groups");
  const auto v = stats::variance_components(trials);
  std::size_t values = 0;
  for (const std::vector<double>& trial : trials) {
    values += trial.size();
  }
  return {{"ms_between", to_json(v.ms_between)},
          {"ms_within", to_json(v.ms_within)},
          {"F", to_json(v.f)},
          {"df_between", v.trials - 1},
          {"df_within", values - v.trials}};
}

Json nist_linreg(const Json& input) {
  const auto rows = groups(input, "design");
  const std::vector<double> y = numbers(input, "y");
  std::vector<std::vector<double>> columns(rows.at(0).size());
  for (const std::vector<double>& row : rows) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].push_back(row.at(j));
    }
  }
  const auto fit = stats::least_squares(columns, y);
  if (!fit) {
    throw std::runtime_error("the columns are taken for dependent");
  }
  const double variance = fit->rss / static_cast<double>(y.size() - columns.size());
  std::vector<double> se;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    se.push_back(std::sqrt(variance * fit->unscaled_covariance[j * columns.size() + j]));
  }
  return {{"coef", fit->coef}, {"se", se}, {"residual_sd", std::sqrt(variance)}};
}

}  // namespace

void add_nist_adapters(AdapterTable& table) {
  table["nist_univariate"] = nist_univariate;
  table["nist_anova"] = nist_anova;
  table["nist_linreg"] = nist_linreg;
}

}  // namespace scalestudy::test
