// The verbs: each calls one room and prints; each has a file of its own.
#pragma once

#include "harness/base/error.h"
#include "harness/cli/options.h"
#include "harness/cli/terminal.h"

namespace scalestudy {

ExitCode init_study(const InitOptions& options, Terminal& terminal);
ExitCode validate_studies(const ValidateOptions& options, Terminal& terminal);
ExitCode show_plan(const PlanOptions& options, const std::string& results, Terminal& terminal);
ExitCode run_command(const RunCommand& options, const std::string& results, Terminal& terminal);
ExitCode show_status(const StatusOptions& options, const std::string& results, Terminal& terminal);
ExitCode query_store(const QueryOptions& options, const std::string& results, Terminal& terminal);
ExitCode make_report(const ReportCommand& options, const std::string& results, Terminal& terminal);
ExitCode audit_figures(const AuditCommand& options, Terminal& terminal);
ExitCode import_figures(const ImportOptions& options,
                        const std::string& results,
                        Terminal& terminal);
ExitCode examine_machine(const std::string& results, Terminal& terminal);
ExitCode print_schema(const SchemaOptions& options, Terminal& terminal);

}  // namespace scalestudy
