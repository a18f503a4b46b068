// The table of patterns, compiled once.
#include "harness/audit/dataset/heading_patterns.h"

#include <re2/re2.h>

namespace scalestudy::audit {
namespace {

struct Pattern {
  const char* heading;   // RE2, any case
  const char* quantity;  // "" ends the search for figures: the heading says nothing known
};

// The first that matches and whose cells can be read.
constexpr Pattern kPatterns[] = {
    {R"(num.?workers|loader)", "count"},  // of a data loader: processes of the host, no devices
    {R"(accumulation)", "gradient_accumulation"},
    {R"((global|total|effective)\s+batch)", "batch_global"},
    {R"(batch.*(per|/)\s*(gpu|device|worker|rank)|(per.?device|local|micro).*batch)",
     "batch_per_device"},
    {R"(batch.?(size)?\b)", "batch"},
    {R"(seq(uence)?.?len(gth)?|max.*seq)", "sequence_length"},
    {R"(message|msg.?size|tensor size)", "message_bytes"},
    {R"(bus\s*bw|bus bandwidth)", "busbw"},
    {R"(alg\s*bw|algorithm bandwidth)", "algbw"},
    {R"(\bmfu\b)", "mfu"},
    {R"(overlap)", "ratio"},
    {R"(cost.?efficiency)", "cost_efficiency"},
    {R"((scaling|parallel).?efficiency|\befficiency\b|^eff\.?\s*($|[,(\[%]|vs\b))", "efficiency"},
    {R"(speed.?up|(weak|strong) scaling|scaling factor)", "speedup"},
    {R"(overhead)", "overhead"},
    {R"((throughput|samples|images|img|imgs|tokens|sequences|sentences|items|words|frames).*((/|per)\s*(gpu|device)|per.?gpu))",
     "throughput_per_device"},
    {R"(^per (gpu|device))", "throughput_per_device"},
    {R"(throughput|(samples|images|imgs?|tokens?|tok|sequences|seqs?|sentences|items|words|frames|examples)\s*(/|per)\s*s|\bfps\b)",
     "throughput"},
    {R"(without)", "time"},
    {R"(communication|comm\b.*time|all.?reduce time|^comm\.?\s*[,(\[])", "communication_time"},
    {R"(comput\w* time|^comput(e|ation)\s*[,(\[])", "compute_time"},
    {R"((step|iter(ation)?|batch).?time|time\s*(per|/)\s*(step|iter|batch)|^(ms|s)\s*/\s*(step|iter|batch)|^(step|iter(ation)?)\s*[,(\[])",
     "step_time"},
    {R"(epoch.?time|time\s*(per|/)\s*epoch)", "epoch_time"},
    {R"(time.?to.?(train|solution|converge)|(training|total|end.to.end|e2e).?(time|duration))",
     "total_time"},
    {R"(accuracy|top.?[15]\b|\bmap\b|\bf1\b)", "accuracy"},
    {R"(price|\$\s*/\s*(gpu|device).?h|\$\s*/\s*h(r|our)?\s*(/|per)\s*(gpu|device))",
     "price_per_device_hour"},
    {R"((gpu|device|core).?(hours|minutes))", "device_time"},
    {R"(\bcost.*\bper\b)", "money"},
    {R"(\bcost)", "cost"},
    {R"(memory capacity|vram)", "memory_capacity"},
    {R"(memory|peak mem)", "memory"},
    {R"(power)", "power"},
    {R"(utili[sz]ation)", "utilization"},
    {R"(parameters|params)", "parameters"},
    {R"(^tokens$|training tokens)", "tokens"},
    {R"(^epochs?$)", "epochs"},
    {R"(^steps$|iterations$)", "steps"},
    {R"(^[^(]*(/|\bper)\s*(gpu|device|node|machine|server|host)s?\b)", ""},
    {R"(^gpus?\s*\()", "devices"},
    {R"(nodes?\b|machines|servers|hosts)", "nodes"},
    {R"(gpus?\b|devices?\b|accelerators?|world.?size|ranks?\b|workers?\b|num.?gpu)", "devices"},
    {R"(\bratio\b)", "ratio"},
    {R"(^size\b|\bbytes\b)", "size"},
    {R"(precision|dtype|data type)", "precision"},
    {R"(strategy|parallelism)", "strategy"},
    {R"(framework|implementation)", "framework"},
    {R"(^data.?set)", "data"},
    {R"(hardware|gpu|device|instance|platform|system)", "hardware"},
    {R"(model|network|architecture)", "model"},
    {R"(operation|collective|phase)", "operation"},
};

}  // namespace

const std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>>& heading_patterns() {
  static const auto kCompiled = [] {
    std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>> all;
    for (const Pattern& pattern : kPatterns) {
      all.emplace_back(std::make_unique<RE2>(std::string("(?i)") + pattern.heading),
                       pattern.quantity);
    }
    return all;
  }();
  return kCompiled;
}

}  // namespace scalestudy::audit
