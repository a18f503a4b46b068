#include "workloads/train/saves/checkpoints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "workloads/names/names.h"
#include "workloads/parameters/parameters.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/parameters_text.h"
#include "workloads/protocol/writer.h"
#include "workloads/rank/clock.h"
#include "workloads/rank/error.h"
#include "workloads/train/memory/file_systems.h"
#include "workloads/train/saves/step_rows.h"

namespace scalestudy::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step_";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kPartial = "partial";
constexpr const char* kState = "state";
constexpr const char* kSteps = "steps";
// Of the files and their sums; manifests without it had steps in the checkpoint's own folder.
constexpr std::int64_t kFormat = 2;

// A run may go on with another of these: the state does not depend on them.
constexpr auto kFreeParameters = std::to_array<std::string_view>({names::kSaveEvery,
                                                                  "save_dir",
                                                                  "save_cache",
                                                                  "failure",
                                                                  "failure_step",
                                                                  "failure_rank",
                                                                  "notice_s",
                                                                  names::kMeasuredSteps,
                                                                  names::kEpochs});

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  flags::refuse(path.string() + ": " + why);
}

std::uint64_t number(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    throw std::invalid_argument("\"" + std::string(text) + "\" is not a number");
  }
  return value;
}

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

// The step of a folder's name; absent for another name.
std::optional<std::size_t> step_of(const fs::path& path) {
  const std::string name = path.filename().string();
  try {
    return name.starts_with(kPrefix) ? std::optional(number(name.substr(kPrefix.size())))
                                     : std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string name_of(int rank, const char* what) {
  return "rank_" + std::to_string(rank) + "." + what;
}

Blocks one_block(std::vector<double>& rows) {
  return {std::as_writable_bytes(std::span(rows))};
}

// With those above it that are not there, and on storage: a folder is no more lost than what is in
// it.
void make_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path there = existing_part(folder);
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw rank::WorkloadError(
        protocol::kExitFailed,
        folder.string() + ": no folder can be made there for checkpoints; give another save_dir");
  }
  for (fs::path made = fs::absolute(folder); made != there; made = made.parent_path()) {
    sync_folder(made.parent_path());
  }
}

// What the manifest says of a file that it must name.
const FileSum& sum_in(const Manifest& manifest, const std::string& name, const fs::path& path) {
  const auto sum = manifest.files.find(name);
  if (sum == manifest.files.end()) {
    refuse(path, "no such file is in the manifest; remove its folder, or give another save_dir");
  }
  return sum->second;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

Manifest parse_manifest(const std::string& text) {
  constexpr std::string_view file = "file.";
  constexpr std::string_view parameter = "parameter.";
  Manifest manifest;
  Texts members = protocol::parse_parameters(text);
  if (members["format"] != std::to_string(kFormat)) {
    throw std::invalid_argument("another version of this program wrote it");
  }
  for (const char* name : {"step", "ranks"}) {
    if (!members.contains(name)) {
      throw std::invalid_argument(std::string("it has no \"") + name + "\"");
    }
  }
  manifest.step = number(members.at("step"));
  manifest.ranks = number(members.at("ranks"));
  for (const auto& [name, value] : members) {
    if (name.starts_with(file)) {
      const std::size_t space = value.find(' ');
      manifest.files[name.substr(file.size())] = {
          number(value.substr(0, space)),
          number(space == std::string::npos ? "" : value.substr(space + 1), 16)};
    } else if (name.starts_with(parameter)) {
      manifest.parameters[name.substr(parameter.size())] = value;
    }
  }
  return manifest;
}

std::string format_manifest(const Manifest& manifest) {
  std::map<std::string, protocol::ParameterValue> members = {
      {"format", kFormat},
      {"step", static_cast<std::int64_t>(manifest.step)},
      {"ranks", static_cast<std::int64_t>(manifest.ranks)}};
  for (const auto& [name, sum] : manifest.files) {
    members["file." + name] = std::to_string(sum.bytes) + " " + hex(sum.hash);
  }
  for (const auto& [name, value] : manifest.parameters) {
    members["parameter." + name] = value;
  }
  return protocol::format_parameters(members) + "\n";
}

Checkpoints::Checkpoints(fs::path folder, Texts texts, const rank::World& world)
    : folder_(std::move(folder)), parameters_(std::move(texts)), world_(world) {
  for (const std::string_view name : kFreeParameters) {
    parameters_.erase(std::string(name));
  }
  std::uint64_t found = 0;  // a step and 1
  if (world_.rank() == 0) {
    make_folder(folder_);
    lock_.emplace(folder_);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const std::optional<std::size_t> step = step_of(entry.path());
      found = step ? std::max<std::uint64_t>(found, *step + 1) : found;
    }
  }
  world_.send_from_root(std::as_writable_bytes(std::span(&found, 1)));
  if (found > 0) {
    newest_ = read_manifest(found - 1);
    require_equal(*newest_);
  }
}

std::optional<std::size_t> Checkpoints::newest() const {
  return newest_ ? std::optional(newest_->step) : std::nullopt;
}

fs::path Checkpoints::folder_of(std::size_t step) const {
  return folder_ / (std::string(kPrefix) + std::to_string(step));
}

Manifest Checkpoints::read_manifest(std::size_t step) const {
  const fs::path path = folder_of(step) / kManifest;
  Manifest manifest;
  try {
    manifest = parse_manifest(text_of(path));
  } catch (const std::invalid_argument& error) {
    refuse(path,
           std::string("the manifest of a checkpoint cannot be read: ") + error.what() +
               "; remove its folder, or give another save_dir");
  }
  if (manifest.step != step) {
    refuse(path,
           "it is of step " + std::to_string(manifest.step) +
               "; remove its folder, or give another save_dir");
  }
  return manifest;
}

void Checkpoints::require_equal(const Manifest& manifest) const {
  const fs::path path = folder_of(manifest.step);
  const std::string advice = "; give another save_dir, or the parameters of that run";
  if (manifest.ranks != static_cast<std::size_t>(world_.size())) {
    refuse(path,
           "a checkpoint of " + std::to_string(manifest.ranks) + " rank(s), this run has " +
               std::to_string(world_.size()) + advice);
  }
  Texts all = parameters_;
  all.insert(manifest.parameters.begin(), manifest.parameters.end());
  std::string difference;
  for (const auto& parameter : all) {
    const std::string& name = parameter.first;
    const auto usual = [&](const Texts& texts) {
      const protocol::ParameterInfo* info = protocol::find_parameter("train", name);
      const std::string_view text = info == nullptr ? "" : default_value(*info, texts);
      return text.empty() ? std::string("not given") : std::string(text);
    };
    // A program that did not know it yet did what its default does.
    const auto text = [&](const Texts& texts) {
      const auto value = texts.find(name);
      return value == texts.end() ? usual(texts) : value->second;
    };
    const std::string saved = text(manifest.parameters);
    const std::string own = text(parameters_);
    if (saved == own) {
      continue;
    }
    // Two defaults differ because another parameter does, which is the one to name.
    const bool follows = saved == usual(manifest.parameters) && own == usual(parameters_);
    if (difference.empty() || !follows) {
      difference = "a checkpoint of a run whose " + name + " is " + saved + ", here it is " + own;
    }
    if (!follows) {
      break;
    }
  }
  if (!difference.empty()) {
    refuse(path, difference + advice);
  }
}

std::map<std::string, FileSum> Checkpoints::gather(std::map<std::string, FileSum> own) const {
  constexpr std::size_t fields = 4;  // of a file; 32 bits are exact in a double
  std::map<std::string, FileSum> all = own;
  for (int rank = 1; rank < world_.size(); ++rank) {
    std::vector<double> values;
    for (const char* what : {kState, kSteps}) {
      const auto found = own.find(name_of(world_.rank(), what));
      const bool is_written = found != own.end();
      const FileSum sum = is_written ? found->second : FileSum{};
      values.insert(values.end(),
                    {is_written ? 1.0 : 0.0,
                     static_cast<double>(sum.bytes),
                     static_cast<double>(sum.hash >> 32U),
                     static_cast<double>(sum.hash & 0xFFFFFFFFU)});
    }
    world_.send_to_root(values, rank);
    for (std::size_t file = 0; world_.rank() == 0 && file < values.size(); file += fields) {
      if (values[file] > 0.0) {
        all[name_of(rank, file == 0 ? kState : kSteps)] = {
            static_cast<std::uint64_t>(values[file + 1]),
            (static_cast<std::uint64_t>(values[file + 2]) << 32U) |
                static_cast<std::uint64_t>(values[file + 3])};
      }
    }
  }
  return all;
}

// The manifest last, then the name.
void Checkpoints::publish(std::size_t step, const Manifest& manifest) const {
  const fs::path partial = folder_ / kPartial;
  std::string text = format_manifest(manifest);
  write_blocks(partial / kManifest, {std::as_writable_bytes(std::span(text))});
  sync_folder(partial);
  if (!newest_) {
    sync_folder(folder_);  // files of steps are as new
  }
  std::error_code error;
  fs::rename(partial, folder_of(step), error);
  if (error) {
    throw rank::WorkloadError(
        protocol::kExitFailed,
        folder_of(step).string() + ": a checkpoint cannot be put there (" + error.message() + ")");
  }
  sync_folder(folder_);
}

void Checkpoints::remove_others(std::size_t step) const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::optional<std::size_t> other = step_of(entry.path());
    if (other && *other != step) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

FileSum Checkpoints::kept_of(const std::string& name) const {
  if (!newest_ || !name.ends_with(kSteps)) {
    return {};
  }
  const auto found = newest_->files.find(name);
  return found == newest_->files.end() ? FileSum{} : found->second;
}

Saved Checkpoints::save(std::size_t step, const State& state, const fs::path& instead) {
  std::vector<double> rows = rows_of(state, newest_ ? newest_->step : 0, step);
  const fs::path partial = folder_ / kPartial;
  const std::string state_name = name_of(world_.rank(), kState);
  const std::string steps_name = name_of(world_.rank(), kSteps);
  const FileSum before = kept_of(steps_name);
  world_.barrier();
  const double begin_s = rank::now_s();
  if (world_.rank() == 0) {
    std::error_code error;
    fs::remove_all(partial, error);
    fs::create_directory(partial, error);  // else the first file cannot be written, which says why
  }
  world_.barrier();
  std::map<std::string, FileSum> own;
  if (!state.is_replicated || world_.rank() == 0) {
    write_blocks(instead.empty() ? partial / state_name : instead, state.model);
    own[state_name] = sum_of(state.model);
  }
  write_blocks(instead.empty() ? folder_ / steps_name : instead,
               one_block(rows),
               instead.empty() ? before.bytes : 0);
  own[steps_name] = sum_of(one_block(rows), before);
  Manifest manifest{.step = step,
                    .ranks = static_cast<std::size_t>(world_.size()),
                    .files = gather(std::move(own)),
                    .parameters = parameters_};
  if (world_.rank() == 0) {
    publish(step, manifest);
  }
  world_.barrier();
  Saved saved{.time_s = rank::now_s() - begin_s};
  if (world_.rank() == 0) {
    remove_others(step);
  }
  world_.barrier();  // else the next step waits for it
  for (const auto& [name, sum] : manifest.files) {
    saved.bytes += static_cast<double>(sum.bytes - kept_of(name).bytes);
  }
  newest_ = std::move(manifest);
  return saved;
}

Loaded Checkpoints::load(Trainer& trainer, bool drops_cache) const {
  const State state = trainer.state();
  const Manifest manifest = read_manifest(newest_->step);
  std::vector<double> rows(manifest.step * row_size(state));
  const std::string state_name = name_of(state.is_replicated ? 0 : world_.rank(), kState);
  const std::string steps_name = name_of(world_.rank(), kSteps);
  const fs::path state_path = folder_of(manifest.step) / state_name;
  const fs::path steps_path = folder_ / steps_name;
  if (drops_cache) {
    drop_pages(state_path);
    drop_pages(steps_path);
  }
  world_.barrier();  // ranks may read the same file
  Loaded loaded;
  for (const fs::path& path : {state_path, steps_path}) {
    const Pages pages = pages_of(path);
    loaded.pages.all += pages.all;
    loaded.pages.cached += pages.cached;
  }
  world_.barrier();
  const double begin_s = rank::now_s();
  read_blocks(state_path, state.model, sum_in(manifest, state_name, state_path));
  read_blocks(steps_path, one_block(rows), sum_in(manifest, steps_name, steps_path), true);
  loaded.steps = steps_of(rows, state);
  trainer.publish_state();
  world_.barrier();
  loaded.time_s = rank::now_s() - begin_s;
  return loaded;
}

double Checkpoints::bytes() const {
  double sum = 0.0;
  for (const auto& [name, file] : newest_ ? newest_->files : std::map<std::string, FileSum>()) {
    sum += static_cast<double>(file.bytes);
  }
  return sum;
}

}  // namespace scalestudy::train
