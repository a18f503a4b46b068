// Reads the store, draws figures, renders the template; writes and compares folders.
#include "harness/report/report.h"

#include <algorithm>
#include <cctype>
#include <future>
#include <iterator>
#include <optional>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/report/figures/figures.h"
#include "harness/report/files/citation.h"
#include "harness/report/files/csv.h"
#include "harness/report/files/latex.h"
#include "harness/report/rules/lint.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/html.h"
#include "harness/report/template/markdown.h"
#include "harness/report/template/pages.h"
#include "harness/report/template/template.h"
#include "harness/store/masked_result.h"
#include "harness/store/results_json.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/latex.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// True when the SQL has the parameter itself and not only a longer name that starts with it.
bool names_study(const std::string& sql) {
  const std::string parameter = ":study";
  for (std::size_t at = sql.find(parameter); at != std::string::npos;
       at = sql.find(parameter, at + 1)) {
    const std::size_t after = at + parameter.size();
    const bool goes_on =
        after < sql.size() &&
        (std::isalnum(static_cast<unsigned char>(sql[after])) != 0 || sql[after] == '_');
    if (!goes_on) {
      return true;
    }
  }
  return false;
}

report::RunQuery query_runner(const Store& store,
                              const std::string& study_name,
                              const std::vector<std::string>& secrets) {
  return [&store, study_name, secrets](const std::string& sql) {
    std::vector<Field> parameters;
    if (names_study(sql)) {
      parameters.emplace_back(study_name);
    }
    QueryResult answer;
    try {
      answer = masked(store.query(sql, parameters), secrets);
    } catch (const Error& error) {
      const std::string problem = error.what();
      throw Error(error.kind(),
                  problem.find("no value for ") == std::string::npos
                      ? problem
                      : problem + "; a template may use :study, and no other");
    }
    // The empty line keeps what follows out of the table.
    return answer.rows.empty() ? "No rows." : report::markdown_table(answer) + "\n\n";
  };
}

// "latex/speedup.pdf" for "figures/speedup.svg".
fs::path pdf_of(const fs::path& svg) {
  return fs::path("latex") / svg.filename().replace_extension(".pdf");
}

// Files of an earlier report, those that its page names, that this one does not make: the folder
// may hold data and figures of others.
std::vector<fs::path> stale_files(const ReportFiles& files, const fs::path& folder) {
  std::vector<fs::path> stale;
  const std::string report = read_file(folder / "report.md").value_or("");
  const std::optional<std::string> details = read_file(folder / "details.md");
  const std::string page = report + details.value_or("");
  if (details && !files.contains("details.md") &&
      report.find("](details.md#") != std::string::npos) {
    stale.push_back(folder / "details.md");
  }
  for (const auto& [subfolder, extension] :
       {std::pair("figures", ".svg"), std::pair("data", ".csv")}) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / subfolder, ignored)) {
      const std::string name = std::string(subfolder) + "/" + entry.path().filename().string();
      if (entry.is_regular_file() && entry.path().extension() == extension &&
          !files.contains(name) && page.find("(" + name + ")") != std::string::npos) {
        stale.push_back(entry.path());
        if (const fs::path pdf = pdf_of(name); fs::is_regular_file(folder / pdf, ignored)) {
          stale.push_back(folder / pdf);
        }
      }
    }
  }
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "latex", ignored)) {
    const std::string name = "latex/" + entry.path().filename().string();
    if (entry.is_regular_file() && entry.path().extension() == ".tex" && !files.contains(name) &&
        read_file(entry.path()).value_or("").starts_with(report::kLatexMark)) {
      stale.push_back(entry.path());
    }
  }
  return stale;
}

void add_latex(const report::View& view,
               const std::vector<report::FigurePlan>& plans,
               const std::vector<fs::path>& scripts,
               const std::vector<std::string>& secrets,
               ReportFiles& files) {
  std::vector<std::string> spellings = secrets;
  std::ranges::transform(secrets, std::back_inserter(spellings), latex_text);
  for (const auto& [name, text] : report::latex_tables(view)) {
    files["latex/" + name] = masked(text, spellings);
  }
  std::vector<std::string> pdfs = report::draw_figures(plans, scripts, report::FigureFormat::kPdf);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    files[pdf_of(plans[i].path).string()] = std::move(pdfs[i]);
  }
}

}  // namespace

ReportFiles render_report(const Store& store, const ReportRequest& request) {
  report::ReportInput input = report::read_input(store, request.study_id);
  input.is_full = request.full;
  const fs::path own = request.own.empty() ? request.template_file.parent_path() : request.own;
  ReportFiles files;
  const std::vector<report::FigurePlan> plans = report::plan_figures(input);
  const std::vector<fs::path> scripts = {own / "figures", request.figures};
  // Gnuplot has its own process: the rest goes on meanwhile, or later where no thread can be had.
  auto drawing =
      std::async([&] { return report::draw_figures(plans, scripts, report::FigureFormat::kSvg); });
  report::View view = report::build_view(input, report::figures_of(plans));
  // Before it is escaped: how a character is escaped can depend on what surrounds the secret.
  view.change_texts([&](const std::string& text) { return masked(text, input.secrets); });
  const std::vector<fs::path> partials = {own / "partials", request.partials};
  std::vector<std::string> secrets = input.secrets;
  std::ranges::transform(input.secrets, std::back_inserter(secrets), report::escape_markdown);
  const std::string markdown = report::without_dead_links(
      masked(report::render_template(request.template_file,
                                     partials,
                                     view,
                                     query_runner(store, input.study.name, secrets),
                                     report::template_tags()),
             secrets));
  const report::Pages pages = report::split_pages(markdown);
  const std::string results = masked(results_json(store, input.study.name), secrets);
  std::vector<std::string> svgs = drawing.get();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    files[plans[i].path] = std::move(svgs[i]);
  }
  if (request.html) {
    const std::string title = input.study.title.empty() ? input.study.name : input.study.title;
    files["report.html"] =
        report::make_html(masked(title, secrets), report::folded_page(pages), files);
  }
  files["report.md"] = request.full ? report::whole_page(markdown) : pages.report;
  if (!request.full && !pages.details.empty()) {
    files["details.md"] = pages.details;
  }
  for (const auto& [name, text] : report::make_csv_files(input)) {
    files["data/" + name] = masked(text, secrets);
  }
  if (request.latex) {
    add_latex(view, plans, scripts, input.secrets, files);
  }
  files["results.json"] = results;
  files["CITATION.cff"] = masked(report::citation(input), secrets);
  return files;
}

std::vector<std::string> broken_rules(const Store& store, std::int64_t study_id) {
  std::vector<std::string> lines;
  const report::ReportInput input = report::read_input(store, study_id);
  for (const report::LintResult& result : report::lint(input)) {
    if (result.state == report::LintState::kBroken) {
      lines.push_back(masked(result.rule + ": " + result.finding + "; to fix it: " + result.advice,
                             input.secrets));
    }
  }
  return lines;
}

void write_report(const ReportFiles& files, const fs::path& folder) {
  for (const auto& [name, content] : files) {
    require_no_link(folder, name);
  }
  const std::vector<fs::path> stale = stale_files(files, folder);
  for (const auto& [name, content] : files) {
    if (read_file(folder / name) != content) {
      replace_file(folder / name, content);
    }
  }
  for (const fs::path& path : stale) {
    std::error_code error;
    fs::remove(path, error);
    if (error) {
      throw Error(ErrorKind::kStore, path.string() + ": cannot be removed: " + error.message());
    }
  }
}

std::vector<std::string> foreign_files(const ReportFiles& files, const fs::path& folder) {
  std::vector<std::string> names;
  const std::string results = read_file(folder / "results.json").value_or("");
  if (results.find(R"("format": "scalestudy-results")") != std::string::npos) {
    return names;
  }
  for (const auto& [name, content] : files) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored) && read_file(folder / name) != content) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> differing_files(const ReportFiles& files, const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, content] : files) {
    const std::optional<std::string> written = read_file(folder / name);
    if (!written || without_maker(*written) != without_maker(content)) {
      names.push_back(name);
    }
  }
  for (const fs::path& path : stale_files(files, folder)) {
    names.push_back(path.lexically_relative(folder).generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace scalestudy
