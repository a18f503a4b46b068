// What *_perf prints. A run: a configuration line, the devices, a table's head, rows, a footer.
#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/import/nccl_checks.h"
#include "harness/import/nccl_table.h"

namespace scalestudy {
namespace {

constexpr std::size_t kPlaceFields = 4;  // time, algbw, busbw, #wrong

struct Line {
  bool is_comment = false;
  std::vector<PlacedText> words;

  bool starts_with(std::string_view word) const { return !words.empty() && words[0].text == word; }
  bool has(std::string_view word) const {
    return std::any_of(
        words.begin(), words.end(), [&](const PlacedText& text) { return text.text == word; });
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

struct Device {
  int rank = 0;
  std::string host;
  std::string name;
};

class NcclText {
 public:
  explicit NcclText(Reading& reading) : reading_(reading) {}

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
    ranks_.clear();
    has_groups_ = false;
  }

  // Rank 3 [Group 0] Pid 946299 on HOST device 1 [0000:43:00] NAME
  void take_device(const Line& line) {
    const auto word_after = [&](std::string_view word) {
      const auto found = std::find_if(line.words.begin(),
                                      line.words.end(),
                                      [&](const PlacedText& text) { return text.text == word; });
      return found == line.words.end() || found + 1 == line.words.end() ? PlacedText{} : found[1];
    };
    Device device;
    if (!is_whole_number(line.words[1].text) || word_after("on").text.empty()) {
      return;
    }
    device.rank = std::stoi(line.words[1].text.substr(0, 8));
    device.host = word_after("on").text;
    bool is_name = false;
    for (const PlacedText& word : line.words) {
      device.name += is_name ? (device.name.empty() ? "" : " ") + word.text : "";
      is_name = is_name || (word.text.starts_with('[') && word.text.ends_with(']'));
    }
    has_groups_ =
        has_groups_ || (!word_after("Group").text.empty() && word_after("Group").text != "0");
    if (!ranks_.insert(device.rank).second) {
      problem(line.words[0],
              fmt::format("rank {} is here twice: these processes did not work together (was "
                          "nccl-tests built without MPI?), so this is not one run",
                          device.rank));
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
    // After the settings: two times the columns of a place, then perhaps a time stamp.
    settings_ = static_cast<std::size_t>(
        std::find_if(columns_.begin(),
                     columns_.end(),
                     [](const std::string& name) { return name == "time" || name == "cputime"; }) -
        columns_.begin());
    has_timestamp_ = columns_.back() == "timestamp";
    if (columns_.size() != settings_ + 2 * kPlaceFields + (has_timestamp_ ? 1 : 0)) {
      problem(head_,
              "the columns are not those of nccl-tests: size count type [redop] [root], then twice "
              "time algbw busbw #wrong");
      return;
    }
    NcclRun run;
    run.operation = operation_;
    run.is_cpu_time = columns_[settings_] == "cputime";
    run.counts_wrong = columns_[settings_ + kPlaceFields - 1] == "#wrong";
    describe_devices(run);
    table_ = &add_nccl_table(run, fmt::format("from line {}", head_.line), reading_);
  }

  void describe_devices(NcclRun& run) const {
    std::set<std::string> hosts;
    std::set<std::string> names;
    int highest = -1;
    for (const Device& device : devices_) {
      highest = std::max(highest, device.rank);
      hosts.insert(device.host);
      names.insert(device.name);
    }
    run.hardware = names.size() == 1 ? *names.begin() : "";
    // Of several groups each is a run of its own size, which the output does not say.
    if (!devices_.empty() && highest + 1 != static_cast<int>(devices_.size())) {
      reading_.notes.push_back(fmt::format(
          "line {}: {} listed, the highest is {}: the number of devices is not known",
          head_.line,
          devices_.size() == 1 ? "1 rank is" : fmt::format("{} ranks are", devices_.size()),
          highest));
    } else if (!devices_.empty() && !has_groups_) {
      run.devices = static_cast<int>(devices_.size());
      run.nodes = static_cast<int>(hosts.size());
    }
  }

  void check_units(const Line& line) {
    static const std::set<std::string> kKnown{"(B)", "(elements)", "(us)", "(GB/s)"};
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

  void take_row(const Line& line) {
    const std::size_t stamp = has_timestamp_ ? 2 : 0;  // date and time of day
    const std::size_t full = settings_ + 2 * kPlaceFields + stamp;
    // Versions before 2.13 leave `redop` blank for collectives that reduce nothing.
    const auto places = columns_.begin() + static_cast<std::ptrdiff_t>(settings_);
    const bool lacks_redop =
        line.words.size() + 1 == full && std::find(columns_.begin(), places, "redop") != places;
    if (line.words.size() != full && !lacks_redop) {
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
      for (PlacedText* field : {&place->time, &place->algbw, &place->busbw, &place->wrong}) {
        *field = *word++;
      }
    }
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
      check_nccl_devices(*table_, reading_);
      add_nccl_average(colon[1], *table_, reading_);
      check_nccl_average(reading_.dataset.statements.back().figure, *table_, reading_);
    }
    table_->where += fmt::format(" to {}", line.words[0].line);
    table_ = nullptr;
    operation_.clear();
    devices_.clear();
    ranks_.clear();
  }

  Reading& reading_;
  std::string operation_;
  std::vector<Device> devices_;
  std::set<int> ranks_;  // of them
  bool has_groups_ = false;
  audit::Table* table_ = nullptr;  // the one whose rows are being read
  PlacedText head_;
  std::vector<std::string> columns_;
  std::size_t settings_ = 0;  // columns before those of the places
  bool has_timestamp_ = false;
};

}  // namespace

void read_nccl_text(const std::string& text, Reading& reading) {
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
