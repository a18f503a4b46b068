// Rows about figures that somebody else printed. No statistic reads them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/text/words.h"

namespace scalestudy {

enum class PublicationKind {
  kDataset,    // a folder with a dataset.yaml (data/published/FORMAT.md)
  kNcclTests,  // what *_perf of nccl-tests and rccl-tests prints, or writes with -J
  kHyperfine,  // what hyperfine --export-json writes
  kCsv,        // a table with a head line, and a column map
};

template <>
inline constexpr std::string_view kWords<PublicationKind> =
    "published-dataset|nccl-tests|hyperfine|csv";

struct PublishedFigureRow {
  std::int64_t id = 0;
  std::string table_name;           // "" for a figure of the text
  std::optional<std::int64_t> row;  // from 1
  std::string column_name;          // column, or the name of a figure of the text
  std::string location;             // section or lines of the document
  std::string quantity;             // a quantity of the catalogue in data/published/FORMAT.md
  std::string experiment;           // figures of one experiment are about the same runs
  std::string conditions = "{}";    // JSON object of texts: which run it is about
  std::string baseline = "{}";      // JSON object of texts: what differs in the run it refers to
  std::string printed;              // as in the document
  std::string form;                 // rounded | exact | approximate | span | at_most | at_least
  std::optional<double> value;      // the printed number in `unit`; absent for spans and bounds
  std::optional<double> lo;         // range that the text can stand for; absent at an open end
  std::optional<double> hi;
  std::string unit;                  // base unit: s, B/s, 1 ...
  std::string printed_unit;          // unit as printed: ms, %; "" for none
  double unit_size = 1.0;            // `unit`s in one printed unit: 1e-3 for ms
  std::optional<std::int64_t> line;  // line in the imported file, from 1
  // JSON object of texts: conditions that `import --assume` declared, by name; "*" is any value.
  // The document does not say them.
  std::string assumed = "{}";
};

// One imported document or file with its figures.
struct PublicationRow {
  std::int64_t id = 0;
  std::optional<std::int64_t> study_id;  // study whose report shows it; absent: no report does
  PublicationKind kind = PublicationKind::kDataset;
  std::string source;  // the dataset's name, else the path; unique per study and kind
  std::string title;
  std::string document;  // document it was transcribed from, or the path of a tool's output
  std::optional<std::string> date;
  std::optional<std::string> url;
  std::optional<std::string> hardware;
  std::string path;  // absolute path of the imported file or folder
  std::string hash;  // hash of its content and of how it was read
  std::vector<PublishedFigureRow> figures;
};

// Parses a JSON object of texts such as PublishedFigureRow::conditions.
std::map<std::string, std::string> parse_conditions(const std::string& json);

// The measured number to compare with a published figure, or why there is none.
struct CounterpartRow {
  std::int64_t figure_id = 0;
  std::optional<std::int64_t> cell_id;
  std::optional<double> value;  // in the figure's base unit
  std::optional<double> lo;
  std::optional<double> hi;
  std::string unit;    // as stored: "samples/s"; "" for a ratio
  std::int64_t n = 0;  // trials or pairs
  // Measured/published, for one device each if `per_device`; the interval is the measured side's.
  // Absent if the published number is a bound.
  std::optional<double> ratio = {};
  std::optional<double> ratio_lo = {};
  std::optional<double> ratio_hi = {};
  bool per_device = false;  // the cell has another number of devices than the figure
  // For throughputs if both sides declare the power of a device: the publication's, in W, and the
  // ratio measured/published of throughput per declared watt.
  std::optional<double> published_watts = {};
  std::optional<double> per_watt = {};
  std::optional<double> per_watt_lo = {};
  std::optional<double> per_watt_hi = {};
  std::string reason;                // why there is no measured number; "" if there is one
  std::string metric = {};           // metric or comparison of the measured number; "" without one
  std::string assumed = "{}";        // JSON object: the figure's assumptions that were needed
  std::string note = {};             // how our definition of the quantity differs; "" if unknown
  bool is_measured_quantity = true;  // whether the study measured this quantity in any cell
};

// Effect of storing a publication.
enum class ImportEffect { kStored, kReplaced, kUnchanged };

}  // namespace scalestudy
