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
  std::string column_name;          // or the name of a figure of the text
  std::string location;             // section or lines of the document
  std::string quantity;             // of the catalogue in data/published/FORMAT.md
  std::string experiment;           // figures of one experiment are about the same runs
  std::string conditions = "{}";    // JSON object of texts: which run it is about
  std::string baseline = "{}";      // likewise: what differs in the run it is relative to
  std::string printed;              // as in the document
  std::string form;                 // rounded | exact | approximate | span | at_most | at_least
  std::optional<double> value;      // the printed number in `unit`; absent for spans and bounds
  std::optional<double> lo;         // what the text can stand for; absent at an open end
  std::optional<double> hi;
  std::string unit;                  // base unit: s, B/s, 1 ...
  std::string printed_unit;          // of the printed number: ms, %; "" for none
  double unit_size = 1.0;            // `unit`s in one printed unit: 1e-3 for ms
  std::optional<std::int64_t> line;  // of the imported file
};

// One imported document or file with its figures.
struct PublicationRow {
  std::int64_t id = 0;
  std::optional<std::int64_t> study_id;  // whose report shows it; absent: none
  PublicationKind kind = PublicationKind::kDataset;
  std::string source;  // the dataset's name, else the path; one publication each per study
  std::string title;
  std::string document;  // what it was transcribed from; the path of a file that a tool wrote
  std::optional<std::string> date;
  std::optional<std::string> url;
  std::optional<std::string> hardware;
  std::string path;  // absolute, of the imported file or folder
  std::string hash;  // of its content and of how it was read
  std::vector<PublishedFigureRow> figures;
};

// Names and texts of a JSON object as rows keep them.
std::map<std::string, std::string> parse_conditions(const std::string& json);

// The measured number that stands beside a published one, or why there is none.
struct CounterpartRow {
  std::int64_t figure_id = 0;
  std::optional<std::int64_t> cell_id;
  std::optional<double> value;  // in the figure's base unit
  std::optional<double> lo;
  std::optional<double> hi;
  std::string unit;    // as stored: "samples/s"; "" for a ratio
  std::int64_t n = 0;  // trials or pairs
  // Measured over published: as printed, or of one device each where `per_device`; the interval is
  // that of the measured side. Absent where the published number is a bound.
  std::optional<double> ratio = {};
  std::optional<double> ratio_lo = {};
  std::optional<double> ratio_hi = {};
  bool per_device = false;  // the cell has another number of devices than the figure
  // Of throughputs where both sides declare the power of a device: what the publication declares,
  // in W, and measured over published by what a declared watt does.
  std::optional<double> published_watts = {};
  std::optional<double> per_watt = {};
  std::optional<double> per_watt_lo = {};
  std::optional<double> per_watt_hi = {};
  std::string reason;                // why there is none; "" when there is one
  bool is_measured_quantity = true;  // whether the study measured this quantity in any cell
};

// What storing a publication did.
enum class ImportEffect { kStored, kReplaced, kUnchanged };

}  // namespace scalestudy
