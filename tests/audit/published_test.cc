// The datasets of data/published: what the audit flags in each, held to an audit by hand.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/audit/audit.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using Flagged = std::vector<std::string>;

struct Audited {
  Flagged flagged;  // "TABLE: FIGURE = PRINTED: VERDICT", in the order of the dataset
  std::size_t followed_count = 0;
  std::size_t unchecked_count = 0;
};

// "TABLE: FIGURE = PRINTED: VERDICT".
std::string text_of(const Finding& finding) {
  return (finding.table.empty() ? "" : finding.table + ": ") + finding.figure + " = " +
         finding.printed + ": " + std::string(verdict_name(finding.verdict));
}

Audited audit_published(const std::string& name) {
  const std::filesystem::path root =
      std::filesystem::path(SCALESTUDY_SOURCE_DIR) / "data/published";
  Audited audited;
  for (const Finding& finding : audit_dataset(load_dataset(root / name))) {
    switch (finding.verdict) {
      case Verdict::kFollows:
        ++audited.followed_count;
        break;
      case Verdict::kCannotBeChecked:
        ++audited.unchecked_count;
        break;
      case Verdict::kFollowsIfCutOff:
      case Verdict::kDoesNotFollow:
      case Verdict::kImplausible:
        audited.flagged.push_back(text_of(finding));
        CHECK(finding.remark.empty());  // no mistake of these is so simple
    }
  }
  return audited;
}

// The figures below were found by reading the documents with a calculator, before there was an
// audit. The arithmetic stands beside each.

TEST_CASE("one figure of the 4096-wide MLP does not follow", "[audit]") {
  const Audited audited = audit_published("mlp-4096-ddp");

  CHECK(audited.flagged ==
        Flagged{
            "small-batch-throughput-1 = 33k: follows if cut off",  // 33,700 is 34k
        });
  CHECK(audited.followed_count == 17);
  CHECK(audited.unchecked_count == 1);
}

TEST_CASE("throughputs, efficiencies, hours and the optimum of 256 V100 do not follow", "[audit]") {
  const Audited audited = audit_published("image-ddp-fsdp-256-gpus");

  CHECK(audited.flagged == Flagged{
                               // 4 x 32 / 29.2 ms = 4384; 29.29 ms, cut off, give 4370
                               "throughput: throughput, devices=4 = 4,371: follows if cut off",
                               // 8,510 / (8 x 1,150) = 92.50 %
                               "throughput: efficiency, devices=8 = 92.6%: does not follow",
                               // 16,240 / (16 x 1,150) = 88.26 %
                               "throughput: efficiency, devices=16 = 88.7%: does not follow",
                               // 64 x 64 / 36.2 ms = 113,149; the throughput is one of batch 32
                               "throughput: throughput, devices=64 = 56,320: does not follow",
                               // FSDP with batch 64 against DDP with batch 32
                               "throughput: efficiency, devices=64 = 76.5%: implausible",
                               // 128 x 64 / 39.1 ms = 209,514
                               "throughput: throughput, devices=128 = 104,960: does not follow",
                               "throughput: efficiency, devices=128 = 71.3%: implausible",
                               // 256 x 64 / 44.5 ms = 368,180
                               "throughput: throughput, devices=256 = 184,320: does not follow",
                               "throughput: efficiency, devices=256 = 62.7%: implausible",
                               // 184,320 / (256 x 1,150) = 62.61 %
                               "throughput: efficiency, devices=256 = 62.7%: does not follow",
                               // 720 h x 1,150 / 56,320 = 14.7 h
                               "cost: total_time, devices=64 = 16 hours: does not follow",
                               // cost efficiency 1.0x at 1 GPU, 0.93x at 8, 0.88x at 16
                               "optimal-devices = 16 GPUs: does not follow",
                           });
  CHECK(audited.followed_count == 67);
  CHECK(audited.unchecked_count == 10);
}

TEST_CASE("communication of two RTX 4070 takes longer than the step it is part of", "[audit]") {
  const Audited audited = audit_published("dense-two-rtx-4070");

  CHECK(audited.flagged ==
        Flagged{
            // The longest step of the medium model: 128 / 12,345 = 10.4 ms.
            "communication: medium, operation=Gradient Collection = 15-20ms: does not follow",
            "communication: medium, operation=AllReduce Operation = 25-35ms: does not follow",
            "communication: medium, operation=Total Overhead = 58-85ms: does not follow",
            // The longest step of the large model: 64 / 1,841 = 34.8 ms.
            "communication: large, operation=Total Overhead = 88-135ms: does not follow",
            // 58-85 ms a step in the breakdown
            "timeline: communication, model=medium, devices=2 = 5.2ms: does not follow",
            // 12.0 + 7.8 + 1.6 + 0.3 = 21.7 ms
            "timeline: step_time, model=large, devices=2 = 28.5ms: does not follow",
            // 88-135 ms a step in the breakdown
            "timeline: communication, model=large, devices=2 = 7.8ms: does not follow",
            // The models measured have 0.26 and 6.9 million parameters.
            "break-even = ~15-20M: implausible",
            "advised-parameters = >10M: implausible",
        });
  CHECK(audited.followed_count == 74);
  CHECK(audited.unchecked_count == 2);
}

TEST_CASE("training times, costs and bandwidths of the p4d nodes do not follow", "[audit]") {
  const Audited audited = audit_published("llm-fsdp-p4d");

  CHECK(audited.flagged ==
        Flagged{
            // 133,892 / (4 x 36,421) = 91.91 %, 254,123 / (8 x 36,421) = 87.22 %,
            // 476,234 / (16 x 36,421) = 81.72 %
            "scaling: efficiency, nodes=4 = 92.0%: does not follow",
            "scaling: efficiency, nodes=8 = 87.3%: does not follow",
            "scaling: efficiency, nodes=16 = 81.8%: does not follow",
            // 1e11 / 45,231 a second = 614 h, 1e11 / 145,267 a second = 191 h; 5 and 10 times that
            "time_to_train: time_baseline, tokens=100B tokens = 18.3 hours: does not follow",
            "time_to_train: time_optimized, tokens=100B tokens = 5.7 hours: does not follow",
            "time_to_train: time_baseline, tokens=500B tokens = 91.5 hours: does not follow",
            "time_to_train: time_optimized, tokens=500B tokens = 28.5 hours: does not follow",
            "time_to_train: time_baseline, tokens=1T tokens = 183 hours: does not follow",
            "time_to_train: time_optimized, tokens=1T tokens = 57 hours: does not follow",
            // 400 Gbps = 50 GB/s
            "efa-bandwidth = 380 GB/s: does not follow",
            // 380 / 50 = 760 %
            "efa-share = 95%: does not follow",
            // 2 nodes x 50 GB/s = 0.1 TB/s
            "bisection-bandwidth = 12.2 TB/s: does not follow",
            // $2,416.00 and $892.00 in the table of training times
            "total-cost-on-demand = $2,216.00: does not follow",
            "total-cost-spot = $1,038.44: does not follow",
        });
  CHECK(audited.followed_count == 57);
  CHECK(audited.unchecked_count == 13);  // relative throughputs and costs of tokens among them
}

TEST_CASE("efficiency, overhead and Amdahl's law of the ResNet-50 projection do not follow",
          "[audit]") {
  const Audited audited = audit_published("resnet50-cifar10-projection");

  CHECK(audited.flagged == Flagged{
                               // 41.16 min everywhere else
                               "scaling: total_time, devices=1 = 36.4 min: does not follow",
                               // 1 / (0.05 + 0.95 / 8) = 5.93; from 0.9565, cut off, 6.13 to 6.15
                               "amdahl: amdahl_speedup, devices=8 = 6.15×: follows if cut off",
                               // 4 s of 122 s = 3.3 %
                               "projection-overhead = ~10-15%: does not follow",
                               // a whole run against ten epochs; the share of it that is printed
                               // beside, 20.76 / 41.16 = 50.44 %, follows
                               "time-saved = 20.76 minutes: implausible",
                               // 41.16 / 40.8 = 100.9 %
                               "benefit-efficiency = 99%: does not follow",
                               // as above
                               "implied-overhead = 10-15%: does not follow",
                           });
  CHECK(audited.followed_count == 94);
  CHECK(audited.unchecked_count == 2);
}

TEST_CASE("a report of our own audits clean", "[audit]") {
  const Audited audited = audit_published("own-quickstart");

  CHECK(audited.flagged.empty());
  CHECK(audited.followed_count == 40);
  CHECK(audited.unchecked_count == 0);
}

TEST_CASE("every published dataset is among those held here", "[audit]") {
  const std::string root = SCALESTUDY_SOURCE_DIR "/data/published";

  const std::vector<std::filesystem::path> folders = dataset_folders({root});

  constexpr std::array<std::string_view, 6> held = {"dense-two-rtx-4070",
                                                    "image-ddp-fsdp-256-gpus",
                                                    "llm-fsdp-p4d",
                                                    "mlp-4096-ddp",
                                                    "own-quickstart",
                                                    "resnet50-cifar10-projection"};
  CHECK(std::equal(folders.begin(),
                   folders.end(),
                   held.begin(),
                   held.end(),
                   [](const std::filesystem::path& folder, std::string_view name) {
                     return folder.filename() == name;
                   }));
}

}  // namespace
