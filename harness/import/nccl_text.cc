// What *_perf prints. A run: a configuration line, the devices, a table's head, rows, a footer.
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/import/nccl_checks.h"
#include "harness/import/nccl_columns.h"
#include "harness/import/nccl_table.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

constexpr std::size_t kPlaceFields = 4;  // time, algbw, busbw, #wrong
constexpr int kBlankPlace = 32;          // blanks that a place which was not run leaves

struct Line {
  bool is_comment = false;
  std::vector<PlacedText> words;

  bool starts_with(std::string_view word) const { return !words.empty() && words[0].text == word; }
  bool has(std::string_view word) const {
    return std::any_of(
        words.begin(), words.end(), [&](const PlacedText& text) { return text.text == word; });
  }
  // Blanks between that word, which is not the first, and the one before it.
  int gap_before(std::size_t word) const {
    const PlacedText& before = words[word - 1];
    return words[word].column - before.column - static_cast<int>(before.text.size());
  }
};

bool is_whole_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
}

constexpr std::string_view kDigits = "0123456789";

// What launchers put in front of each line, blanks before it too: "[1,0]<stdout>:" and
// "[prterun-host-7@1,0]<stdout>:" of mpirun, "3: " of srun --label, a date with a time of day.
std::size_t one_tag_length(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::string_view rest = text.substr(begin);
  for (const std::string_view mark : {"]<stdout>:", "]<stderr>:"}) {
    const std::size_t at = rest.find(mark);
    if (rest.starts_with('[') && at == rest.find(']')) {
      return at == std::string_view::npos ? 0 : begin + at + mark.size();
    }
  }
  const std::size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
  if (digits > 0 && rest.substr(digits).starts_with(": ")) {
    return begin + digits + 2;
  }
  const std::size_t date = rest.starts_with('[') ? 1 : 0;
  constexpr std::string_view shape = "dddd-dd-dd dd:dd:dd";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = date + i < rest.size() ? rest[date + i] : '\0';
    const bool is_digit = kDigits.find(c) != std::string_view::npos && c != '\0';
    if (shape[i] == 'd' ? !is_digit : c != shape[i] && !(shape[i] == ' ' && c == 'T')) {
      return 0;
    }
  }
  // Fractions of a second, the zone and a closing bracket.
  return begin + std::min(rest.find_first_of(" \t", date + shape.size()), rest.size());
}

std::size_t tag_length(std::string_view text) {
  constexpr int most_tags = 3;
  std::size_t all = 0;
  for (int i = 0; i < most_tags; ++i) {
    all += one_tag_length(text.substr(all));
  }
  return all;
}

Line split_line(std::string_view text, int number) {
  Line line;
  std::size_t at = tag_length(text);
  constexpr std::string_view blanks = " \t\r";
  for (at = text.find_first_not_of(blanks, at); at != std::string_view::npos;
       at = text.find_first_not_of(blanks, at)) {
    if (text[at] == '#' && !line.is_comment && line.words.empty()) {
      line.is_comment = true;
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    line.words.push_back(
        {std::string(text.substr(at, end - at)), number, static_cast<int>(at) + 1});
    at = end;
  }
  return line;
}

class NcclText {
 public:
  explicit NcclText(ImportReading& reading) : reading_(reading) {}

  void take(const Line& line) {
    if (line.words.empty()) {
      return;
    }
    if (line.starts_with("nThread")) {
      start_run(line.words[0]);
    } else if (line.starts_with("Rank") && line.words.size() > 1) {
      take_device(line);
    } else if (line.starts_with("size") && line.has("algbw") && line.has("busbw")) {
      start_table(line);
    } else if (line.starts_with("(B)")) {
      check_units(line);
    } else if (line.starts_with("Out") && line.has("FAILED")) {
      note_wrong_results(line);
    } else if (line.starts_with("Avg") && line.has("bandwidth")) {
      end_table(line);
    } else if (table_ != nullptr && !line.is_comment && is_whole_number(line.words[0].text)) {
      take_row(line);
    } else {
      take_operation(line);
    }
  }

  void finish() {
    if (table_ != nullptr) {
      problem(head_, "this table has no footer (\"Avg bus bandwidth\"): the run was cut off");
    } else if (reading_.dataset.tables.empty() && reading_.problems.empty()) {
      reading_.problems.push_back(
          {0, 0, "no table of results: a line with size, algbw and busbw is required"});
    }
  }

 private:
  void problem(const PlacedText& at, const std::string& message) {
    reading_.problems.push_back({at.line, at.column, message});
  }

  void start_run(const PlacedText& at) {
    if (table_ != nullptr) {
      problem(at,
              fmt::format("a run starts before the table of line {} has its footer: that run was "
                          "cut off, or outputs of several processes are mixed",
                          head_.line));
      table_ = nullptr;
    }
    devices_.clear();
  }

  // Rank 3 [Group 0] Pid 946299 on HOST device 1 [0000:43:00] NAME
  void take_device(const Line& line) {
    const auto word_after = [&](std::string_view word) {
      const auto found = std::find_if(line.words.begin(),
                                      line.words.end(),
                                      [&](const PlacedText& text) { return text.text == word; });
      return found == line.words.end() || found + 1 == line.words.end() ? PlacedText{} : found[1];
    };
    NcclDevice device;
    device.place = line.words[0];
    if (!is_whole_number(line.words[1].text) || word_after("on").text.empty()) {
      return;
    }
    device.rank = std::stoi(line.words[1].text.substr(0, 8));
    device.group = word_after("Group").text;
    device.host = word_after("on").text;
    bool is_name = false;
    for (const PlacedText& word : line.words) {
      device.name += is_name ? (device.name.empty() ? "" : " ") + word.text : "";
      is_name = is_name || (word.text.starts_with('[') && word.text.ends_with(']'));
    }
    devices_.push_back(std::move(device));
  }

  // "Collective test starting: all_reduce_perf", or a command line in a log.
  void take_operation(const Line& line) {
    for (const PlacedText& word : line.words) {
      const std::string operation = nccl_operation(word.text);
      if (!operation.empty() && table_ == nullptr) {
        operation_ = operation;
        return;
      }
    }
  }

  void start_table(const Line& line) {
    if (table_ != nullptr) {
      problem(line.words[0],
              fmt::format("a table starts before that of line {} has its footer: that run was cut "
                          "off, or outputs of several processes are mixed",
                          head_.line));
    }
    head_ = line.words[0];
    table_ = nullptr;  // until its columns are known
    columns_.clear();
    for (const PlacedText& word : line.words) {
      columns_.push_back(word.text);
    }
    NcclRun run;
    run.operation = operation_;
    if (!find_places(run) || !find_tail(run)) {
      return;
    }
    describe_nccl_devices(devices_, 1, fmt::format("line {}", head_.line), run, reading_);
    table_ = &add_nccl_table(run, fmt::format("from line {}", head_.line), reading_);
  }

  bool unknown_columns(const std::string& problem_with_them) {
    problem(head_,
            "the columns are not those of nccl-tests: " + problem_with_them +
                "; size count type [redop] [root], then twice time algbw busbw #wrong and perhaps "
                "statistics of iterations, then perhaps timestamp and what NCCL chose");
    return false;
  }

  // After the settings: two times the same columns, one for each place. False, with a problem, if
  // these are others.
  bool find_places(NcclRun& run) {
    const auto is_time = [](const std::string& name) {
      return name == "time" || name == "cputime";
    };
    const auto first = std::ranges::find_if(columns_, is_time);
    const auto second =
        first == columns_.end() ? first : std::find_if(first + 1, columns_.end(), is_time);
    settings_ = static_cast<std::size_t>(first - columns_.begin());
    place_ = static_cast<std::size_t>(second - first);
    after_ = settings_ + 2 * place_;
    if (second == columns_.end() || after_ > columns_.size() ||
        !std::equal(first, second, second) || place_ < kPlaceFields) {
      return unknown_columns("the two places differ");
    }
    for (auto setting = columns_.cbegin(); setting != first; ++setting) {
      if (std::find(columns_.cbegin(), setting, *setting) != setting) {
        return unknown_columns("the column " + *setting + " stands twice");
      }
    }
    run.is_cpu_time = first[0] == "cputime";
    run.counts_wrong = first[3] == "#wrong";
    if (first[1] != "algbw" || first[2] != "busbw" || (!run.counts_wrong && first[3] != "error")) {
      return unknown_columns("these are out of order");
    }
    for (auto name = first + kPlaceFields; name != second; ++name) {
      const auto known = std::ranges::find(nccl_statistics(), *name, &NcclStatistic::heading);
      if (known == nccl_statistics().end()) {
        return unknown_columns("the column " + *name + " is not known");
      }
      run.statistics.push_back(&*known);
    }
    return true;
  }

  // After the places: a time stamp, which is two words in a row, and what NCCL chose.
  bool find_tail(NcclRun& run) {
    has_timestamp_ = after_ < columns_.size() && columns_[after_] == "timestamp";
    for (std::size_t c = after_ + (has_timestamp_ ? 1 : 0); c < columns_.size(); ++c) {
      const std::optional<std::string> condition = nccl_tuning(columns_[c]);
      if (!condition || std::ranges::find(run.tuning, *condition) != run.tuning.end()) {
        return unknown_columns("the column " + columns_[c] + " is not known");
      }
      run.tuning.push_back(*condition);
    }
    return true;
  }

  void check_units(const Line& line) {
    static const std::set<std::string> kKnown{"(B)", "(elements)", "(us)", "(GB/s)", "(%)"};
    for (const PlacedText& word : line.words) {
      if (word.text.starts_with('(') && !kKnown.contains(word.text)) {
        problem(
            word,
            fmt::format("the unit {} disagrees with what nccl-tests prints: (B) (elements) (us) "
                        "(GB/s)",
                        word.text));
      }
    }
  }

  // Versions before 2.13 leave `redop` blank for collectives that reduce nothing. A number, the
  // root or a time, is then in its place. That of `count` shows that no column before is missing.
  bool has_blank_redop(const std::vector<PlacedText>& words) const {
    const auto settings = std::span(columns_).first(settings_);
    const auto has_number = [&](const auto& column) {
      return parse_number(words[static_cast<std::size_t>(column - settings.begin())].text);
    };
    const auto redop = std::ranges::find(settings, "redop");
    const auto count = std::ranges::find(settings, "count");
    return redop != settings.end() && has_number(redop) &&
           (count == settings.end() || has_number(count));
  }

  void take_row(const Line& line) {
    const std::size_t full = columns_.size() + (has_timestamp_ ? 1 : 0);  // date and time of day
    const bool lacks_redop = line.words.size() + 1 == full && has_blank_redop(line.words);
    const bool lacks_out_of_place =
        line.words.size() + place_ == full && line.gap_before(settings_) >= kBlankPlace;
    if (line.words.size() != full && !lacks_redop && !lacks_out_of_place) {
      problem(line.words[0],
              fmt::format("this row has {} fields and the table {}: the line is cut off or mixed "
                          "with another",
                          line.words.size(),
                          full));
      return;
    }
    NcclLine result;
    auto word = line.words.begin();
    for (std::size_t c = 0; c < settings_; ++c) {
      if (columns_[c] != "redop" || !lacks_redop) {
        set_field(result, columns_[c], *word++);
      }
    }
    for (NcclLine::Place* place : {&result.out_of_place, &result.in_place}) {
      place->statistics.resize(place_ - kPlaceFields);
      if (place == &result.out_of_place && lacks_out_of_place) {
        continue;
      }
      for (PlacedText* field : {&place->time, &place->algbw, &place->busbw, &place->wrong}) {
        *field = *word++;
      }
      for (PlacedText& field : place->statistics) {
        field = *word++;
      }
    }
    result.tuning.assign(word + (has_timestamp_ ? 2 : 0), line.words.end());
    add_nccl_line(result, *table_, reading_);
  }

  // `count` follows from size and type.
  static void set_field(NcclLine& line, const std::string& column, const PlacedText& text) {
    if (column == "size") {
      line.size = text;
    } else if (column == "type") {
      line.type = text;
    } else if (column == "redop") {
      line.redop = text;
    } else if (column == "root") {
      line.root = text;
    }
  }

  // Out of bounds values : 2 FAILED
  void note_wrong_results(const Line& line) {
    reading_.notes.push_back(
        fmt::format("line {}: nccl-tests found wrong results: {} values out of bounds",
                    line.words[0].line,
                    line.words[line.words.size() - 2].text));
  }

  // Avg bus bandwidth : 52.6393 [OK]
  void end_table(const Line& line) {
    if (table_ == nullptr) {
      return;
    }
    const auto colon = std::find_if(line.words.begin(),
                                    line.words.end(),
                                    [](const PlacedText& word) { return word.text == ":"; });
    if (table_->rows.empty()) {
      problem(head_, "this table has no rows");
    } else if (line.words.end() - colon < 2) {
      problem(line.words[0], "the average is missing: the line is cut off");
    } else {
      finish_nccl_table(colon[1], *table_, reading_);
    }
    table_->where += fmt::format(" to {}", line.words[0].line);
    table_ = nullptr;
    operation_.clear();
    devices_.clear();
  }

  ImportReading& reading_;
  std::string operation_;
  std::vector<NcclDevice> devices_;
  audit::Table* table_ = nullptr;  // the one whose rows are being read
  PlacedText head_;
  std::vector<std::string> columns_;
  std::size_t settings_ = 0;  // columns before those of the places
  std::size_t place_ = 0;     // columns of a place
  std::size_t after_ = 0;     // index of the first column after the places
  bool has_timestamp_ = false;
};

}  // namespace

void read_nccl_text(const std::string& text, ImportReading& reading) {
  NcclText parser(reading);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    parser.take(split_line(rest.substr(0, end), number));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  parser.finish();
}

}  // namespace scalestudy
