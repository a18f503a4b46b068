// The table of patterns, compiled once; units in brackets, behind commas, and with powers of ten.
#include "harness/audit/draft/heading_patterns.h"

#include <algorithm>

#include <re2/re2.h>

#include "harness/audit/figure/quantity.h"

namespace scalestudy::audit {
namespace {

// What patterns call by a name in angle brackets.
constexpr std::pair<const char*, const char*> kNamedParts[] = {
    {"<rate>", R"(<things>[\s_]*(/|per)[\s_]*s(ec|econd)?s?(\b|_))"},
    {"<each>", R"((/|per)[\s_-]*<device>(\b|_))"},
    {"<things>",
     "(samples?|images?|imgs?|tokens?|toks?|sequences?|seqs?|sentences|items|words|frames|"
     "examples)"},
    {"<device>", "(gpu|device|accelerator|chip|tpu|npu|card|rank)s?"},
};

struct Pattern {
  const char* heading;   // RE2, any case
  const char* quantity;  // "" ends the search for figures: the heading says nothing known
};

// The first that matches and whose cells can be read. Those of text match only as the noun that
// ends the heading: "Implementation Effort" is no implementation, and "Multi-GPU Benefit" no GPU.
constexpr Pattern kPatterns[] = {
    // No measurement, or not the mean that a rate follows from.
    {R"(^(ideal|linear|theoretical|predicted|projected|expected)[\s_]+(\w+[\s_]+)?(speed.?up|throughput|time))",
     ""},
    {R"((speed.?up|throughput|time)[\s_]*[,(]\s*(ideal|linear|theoretical|predicted|projected|expected)\b)",
     ""},
    {R"((^|[^a-z])(median|max(imum)?|min(imum)?|fastest|slowest|p\d\d)[\s_]+(step|iter(ation)?|batch).?time)",
     ""},
    {R"((network|energy|power|memory|bandwidth|\bsm|incremental|marginal)[\s_]+eff(iciency|\.|$))",
     ""},
    {R"(num.?workers|loader)", "count"},  // of a data loader: processes of the host, no devices
    // The figures of a run on as many: "4 GPUs", "8x A100 GPUs (img/s)".
    {R"(^\s*\d+\s*[x×-]?\s*(\w+\s+)?(gpu|device|accelerator|node|worker|rank)s?\s*([(\[,].*)?$)",
     ""},
    // Degrees of parallelism: of a group of devices, not of all.
    {R"(^((tensor|pipeline|data|expert|context|sequence|model)[\s_-]*parallel(ism)?|[tpdec]p)[\s_-]*)"
     R"((size|degree|ranks?|workers?|gpus?|devices?|ways?|groups?)?\s*([(\[,].*)?$)",
     "count"},
    {R"(accum(ulation)?([^a-z]|$)|\bgrad(ient)?\.?[\s_-]*acc([^a-z]|$)|micro.?batches)",
     "gradient_accumulation"},
    {R"((global|total|effective)[\s_]+batch|batch_global)", "batch_global"},
    {R"(batch.*(per|/)[\s_]*(gpu|device|worker|rank)|(per.?device|local|micro).*batch)",
     "batch_per_device"},
    {R"(batch.?(size)?\b)", "batch"},
    {R"(seq(uence)?.?len(gth)?|max.*seq)", "sequence_length"},
    {R"(message|msg.?size|tensor size)", "message_bytes"},
    {R"(bus[\s_.]*(bw|bandwidth))", "busbw"},
    {R"(alg(o|orithm)?[\s_.]*(bw|bandwidth))", "algbw"},
    {R"(\bmfu\b)", "mfu"},
    {R"(^peak[\s_].*flop)", "peak_flop_rate"},
    {R"(^(total|overall|aggregated?)[\s_]+((achieved|sustained)[\s_]+[kmgtpe]?flops?(/s)?)"
     R"(|[kmgtpe]?flops?/s)\s*([(\[,]|$))",
     "flop_rate"},
    {R"((achieved|sustained)[\s_][kmgtpe]?flops?(/s)?\s*(per\b|[(\[,/]|$))",
     "flop_rate_per_device"},
    {R"(^[^(\[]*overlap)", "ratio"},
    {R"(cost.?eff(iciency|\.?$))", "cost_efficiency"},
    {R"((scaling|parallel).?efficiency|\befficiency\b|(^|[^a-z])eff\.?\s*($|[,(\[%]|vs\b))",
     "efficiency"},
    {R"(speed.?up|(weak|strong) scaling|scaling factor)", "speedup"},
    {R"(overhead)", "overhead"},
    {R"(^rel(ative|\.))", "ratio"},
    {R"((throughput|<rate>).*<each>|<each>.*(throughput|<rate>)|^per[\s_-]<device>\s*([(\[,]|$))",
     "throughput_per_device"},
    {R"(<things>[\s_]*<each>[\s_]*(/|per)[\s_]*s(ec|econd)?(\b|_))", "throughput_per_device"},
    {R"(<rate>\s*(/|per)\s*k?w(att)?\b|<things>\s*(/|per)\s*k?(j|joules?|wh)\b)",
     "throughput_per_power"},
    {R"(<rate>\s*(/|per)\s*\S)", ""},  // of a user, for a dollar
    {R"(throughput|<rate>|\bfps\b)", "throughput"},
    {R"(<things>[\s_]*(/|per)[\s_]*(step|iter(ation)?|<device>)(\b|_))", "count"},
    {R"(without)", "time"},
    {R"(communication|comm\b.*time|all.?reduce time|^comm\.?\s*[,(\[])", "communication_time"},
    {R"(comput\w* time|^comput(e|ation)\s*[,(\[])", "compute_time"},
    {R"((step|iter(ation)?|batch).?time|time\s*(per|/)\s*(step|iter|batch)|^(ms|s)\s*/\s*(step|iter|batch)|^(step|iter(ation)?)\s*[,(\[])",
     "step_time"},
    {R"(epoch.?time|time\s*(per|/)\s*epoch)", "epoch_time"},
    {R"(time.?to.?(train|solution|converge|accuracy|target|quality)|(training|total|end.to.end|e2e).?(time|duration))",
     "total_time"},
    {R"(^(hours|days)$)", "total_time"},
    {R"(^(steps|iterations)[\s_]to[\s_])", "steps"},
    {R"(^epochs[\s_]to[\s_])", "epochs"},
    {R"(^(steps|iterations|epochs)[\s_]to[\s_])", ""},
    {R"(accuracy|top.?[15]\b|\b(?-i:mAP)|\bmap@|\bf1\b)", "accuracy"},
    {R"(price.*(gpu|device)|(gpu|device).*price|\$\s*/\s*(gpu|device).?h|\$\s*/\s*h(r|our)?\s*(/|per)\s*(gpu|device))",
     "price_per_device_hour"},
    {R"(price.*(node|machine)|\$\s*/\s*(node|machine|server).?h)", "price_per_node_hour"},
    {R"(price)", ""},  // of an instance, maybe
    {R"((gpu|device|core).?(hours|minutes))", "device_time"},
    {R"((gpu|device|core).?(hours|minutes))", ""},  // "74K" is no number of devices either
    {R"(\bcost.*\bper\b)", "money"},
    {R"(\bcost)", "cost"},
    {R"(memory capacity|vram)", "memory_capacity"},
    {R"(memory|peak mem)", "memory"},
    {R"(power.*<each>|<each>.*power|(^|[^a-z])gpu[\s_]power)", "power_per_device"},
    {R"(power)", "power"},
    // Of one core: 340 % are possible.
    {R"((^|[^a-z])cpus?([^a-z].*)?utili[sz]|utili[sz].*[^a-z]cpus?([^a-z]|$))", "ratio"},
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
    {R"(strateg(y|ie)|parallelism)", "strategy"},
    {R"(framework|implementation)", "framework"},
    {R"(^data.?set)", "data"},
    {R"((hardware|gpu|device|instance|platform|system)(\s+(model|architecture))?)", "hardware"},
    {R"(model|network|architecture)", "model"},
    {R"(operation|collective|phase)", "operation"},
};

// The pattern with its named parts in full.
std::string with_parts(std::string pattern) {
  for (const auto& [name, part] : kNamedParts) {
    const std::string sought = name;
    for (std::size_t at = pattern.find(sought); at != std::string::npos;
         at = pattern.find(sought, at)) {
      pattern.replace(at, sought.size(), part);
    }
  }
  return pattern;
}

// Takes "(×10³)", "10^6" or "(millions)" out of the heading; returns "k", "M" or "B", or nothing.
std::string take_power(std::string& heading) {
  static const re2::RE2 kPower(
      R"((?i)(?:(?:\bx\s*|[×*·]\s*|([(\[])\s*)10(?:\^\{?([369])\b\}?|([³⁶⁹]))\s*|)"
      R"(\s*[(\[]\s*(?:in\s+)?(thousand|million|billion)s\s*[)\]]))");
  std::string bracket;
  std::string digit;
  std::string raised;
  std::string word;
  if (!re2::RE2::PartialMatch(heading, kPower, &bracket, &digit, &raised, &word)) {
    return "";
  }
  re2::RE2::Replace(&heading, kPower, "\\1");
  re2::RE2::Replace(&heading, R"(\s*[(\[]\s*[)\]])", "");
  const char first = word.empty() ? ' ' : word.front();
  if (digit == "3" || raised == "³" || first == 't' || first == 'T') {
    return "k";
  }
  return digit == "6" || raised == "⁶" || first == 'm' || first == 'M' ? "M" : "B";
}

std::vector<std::string> plain_unit_texts(const std::string& heading) {
  std::vector<std::string> texts;
  std::string inside;
  if (RE2::PartialMatch(heading, R"([(\[]([^)\]]+)[)\]]\s*$)", &inside)) {
    texts.push_back(inside);
    texts.push_back(inside.substr(0, inside.find(' ')));
  }
  if (RE2::PartialMatch(heading, R"((?:,|\bin)\s+([^\s,]+)$)", &inside)) {
    texts.push_back(inside);
  }
  constexpr const char* after_line =  // "_s" alone may be "a second"
      R"((?:_(ns|us|ms|percent)|(?:time|latency|duration)\w*_(s|sec|min|h|hours))$)";
  std::string of_time;
  if (RE2::PartialMatch(heading, after_line, &inside, &of_time)) {
    inside += of_time;
    texts.push_back(inside == "percent" ? "%" : inside);
  }
  if (RE2::PartialMatch(heading, R"(^(\S+)\s+per\b)", &inside)) {
    texts.push_back(inside);
  }
  // "Achieved TFLOP/s per GPU", "Peak TFLOPS dense"
  if (RE2::PartialMatch(heading, R"(\b([KMGTPE]?FLOP(?:S|s?/s))(?:[^a-zA-Z]|$))", &inside)) {
    texts.push_back(inside);
  }
  texts.push_back(heading == "Hours" ? "hours" : heading == "Days" ? "days" : heading);
  std::string last;
  if (RE2::PartialMatch(heading, R"((\S+)$)", &last)) {
    texts.push_back(last);
  }
  return texts;
}

}  // namespace

std::string as_last_noun(const std::string& pattern) {
  return "(?:^|[^a-z])(?:" + pattern +
         R"()s?(?:[\s_]+(?:names?|types?|kinds?|versions?|variants?|sizes?|family|config|)"
         R"(configuration|setup|used))*\s*(?:[(\[,:;/|].*)?$)";
}

std::string unit_of_heading(const std::string& heading) {
  std::string unit;
  RE2::PartialMatch(heading, R"((?:[(\[]\s*|,\s+)([^()\[\],]+?)\s*[)\]]?\s*$)", &unit);
  const bool is_least = unit == "min" && !RE2::PartialMatch(heading, "(?i)time|duration");
  return is_least ? "" : unit;
}

std::string without_power(const std::string& heading) {
  std::string rest = heading;
  take_power(rest);
  return rest;
}

std::vector<std::string> unit_texts(const std::string& heading) {
  std::string rest = heading;
  const std::string power = take_power(rest);
  std::vector<std::string> texts = plain_unit_texts(rest);
  if (power.empty()) {
    return texts;
  }
  for (std::string& text : texts) {
    text = power + " " + text;
  }
  return texts;
}

std::string count_multiplier(const std::string& heading, bool may_be_symbol) {
  std::string rest = heading;
  std::string multiplier = take_power(rest);
  if (multiplier.empty() && !may_be_symbol) {
    RE2::PartialMatch(heading, R"([(\[]\s*([kKMB])\s*[)\]]\s*$)", &multiplier);
  }
  return multiplier;
}

const std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>>& heading_patterns() {
  static const auto kCompiled = [] {
    std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>> all;
    for (const auto& [heading, quantity] : kPatterns) {
      const QuantityInfo* info = find_quantity(quantity);
      const bool is_text = info != nullptr && info->dimension == Dimension::kLabel;
      const std::string pattern = is_text ? as_last_noun(heading) : with_parts(heading);
      all.emplace_back(std::make_unique<RE2>("(?i)" + pattern), quantity);
    }
    return all;
  }();
  return kCompiled;
}

const QuantityInfo* named_quantity(const std::string& text) {
  const auto& patterns = heading_patterns();
  const auto found = std::find_if(patterns.begin(), patterns.end(), [&](const auto& pattern) {
    return !pattern.second.empty() && RE2::PartialMatch(text, *pattern.first);
  });
  return found == patterns.end() ? nullptr : find_quantity(found->second);
}

}  // namespace scalestudy::audit
