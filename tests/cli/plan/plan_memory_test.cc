// What `plan` says of memory.
#include "harness/cli/plan/plan_memory.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

MemoryNeed on_gpus() {
  MemoryNeed need{.label = "devices=4", .ranks = 4, .bytes_per_rank = 10e9, .available_bytes = {}};
  need.host_available_bytes = 100e9;
  need.host_bytes_per_rank = 20e9;
  return need;
}

}  // namespace

TEST_CASE("a plan says what ranks pin of the host's memory, and when that is too little", "[cli]") {
  MemoryNeed need = on_gpus();

  CHECK(memory_text(need) ==
        "memory: at most 37.25 GiB, 4 ranks of 9.313 GiB each (estimate, 4 devices); not compared "
        "with a GPU's, of which this machine shows none; of the host's memory at most 74.51 GiB "
        "(18.63 GiB per rank, pinned); the host has 93.13 GiB available now");
  need.device_bytes = 16e9;
  need.host_bytes_per_rank = 30e9;
  CHECK(memory_text(need) ==
        "memory: at most 37.25 GiB, 4 ranks of 9.313 GiB each (estimate, 4 devices); a GPU of this "
        "machine has 14.9 GiB, of which a rank needs 62 %; of the host's memory at most 111.8 GiB "
        "(27.94 GiB per rank, pinned); the host has 93.13 GiB available now: the host has too "
        "little, and trials of this cell will end as oom");
  need = on_gpus();
  need.checkpoint_bytes = 5e9;  // in the host's memory, and counted there alone
  CHECK_THAT(
      memory_text(need),
      Catch::StartsWith("memory: at most 37.25 GiB, 4 ranks of 9.313 GiB each (estimate") &&
          Catch::Contains("of the host's memory at most 79.16 GiB (18.63 GiB per rank, pinned), "
                          "4.657 GiB of it checkpoints; the host has 93.13 GiB available now"));
  need = on_gpus();
  need.device_bytes = 8e9;
  CHECK_THAT(memory_text(need),
             Catch::EndsWith("available now: trials of this cell will end as "
                             "oom"));
}

TEST_CASE("a plan says the largest models by strategy and technique, and for which memory",
          "[cli]") {
  MemoryNeed need = on_gpus();
  CHECK(largest_models_text(need) ==
        "declare device_memory_gb to be told the largest models that fit");
  need.fit_bytes = 16e9;
  CHECK(largest_models_text(need).empty());  // a model without layers
  need.device_bytes = 16e9;
  need.largest_layers = {{"ddp", 0.0},
                         {"ddp.checkpoint_every", 3.0},
                         {"ddp.checkpoint_every.offload", 64.0},
                         {"fsdp", 5.0}};
  need.largest_host_bytes = {{"ddp.checkpoint_every.offload", 7e9}};

  CHECK(largest_models_text(need) ==
        "the most model.layers that fit 14.9 GiB a rank (a GPU of this machine) with the settings "
        "of 4 devices, calculated: ddp none, with checkpoint_every=1 3, with checkpoint_every=1 "
        "offload=optimizer at least 64 (6.519 GiB of the host's a rank); fsdp 5; more than 64 are "
        "not tried");
  need.is_device_declared = true;
  CHECK_THAT(largest_models_text(need),
             Catch::Contains("16 GB (14.9 GiB) a rank (device_memory_gb) "));
  need.device_bytes.reset();
  need.is_device_declared = false;
  CHECK_THAT(largest_models_text(need), Catch::Contains("(a rank's share of what is available) "));
  need.largest_layers = {{"ddp", 64.0}, {"fsdp", 64.0}};
  CHECK(largest_models_text(need) ==
        "64 model.layers, the most that are tried, fit 14.9 GiB a rank (a rank's share of what is "
        "available) with every strategy and the settings of 4 devices, calculated");
}
