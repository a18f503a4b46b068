// What a cell is called.
#include "harness/store/cell_name.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

CellRow varied_cell(std::int64_t devices) {
  CellRow cell;
  cell.devices = devices;
  cell.parameters = {{"batch_global", "256", ValueKind::kInteger, true},
                     {"devices", std::to_string(devices), ValueKind::kInteger, true}};
  return cell;
}

}  // namespace

TEST_CASE("a cell is named by its devices and what varies", "[store]") {
  CHECK(describe_cell(varied_cell(2)) == "2 devices, batch 256");
  CellRow other = varied_cell(2);
  other.parameters = {{"level", "9", ValueKind::kInteger, true}};
  CHECK(describe_cell(other) == "level 9");
  other.parameters.clear();
  CHECK(describe_cell(other) == "2 devices");
  other.role = CellRole::kNoop;
  CHECK(describe_cell(other) == "2 devices, control noop");
}

TEST_CASE("a parameter has its words, its label or its own name", "[store]") {
  CHECK(name_parameter({"devices", "1", ValueKind::kInteger, true}) == "1 device");
  CHECK(name_parameter({"batch_per_device", "8", ValueKind::kInteger, true}) ==
        "batch 8 per device");
  CHECK(name_parameter({"command", "gzip -1 < f", ValueKind::kText, true}) == "gzip -1 < f");
  CHECK(name_parameter({"message_bytes", "65536", ValueKind::kInteger, true}) == "64 KiB");
  CHECK(name_parameter({"message_bytes", "big", ValueKind::kText, true}) == "message_bytes=big");
  const auto link = [](const char* mbit) {
    return name_parameter({"interconnect.bandwidth", mbit, ValueKind::kReal, true});
  };
  CHECK(link("1000") == "links of 1 Gbit/s");
  CHECK(link("2500") == "links of 2.5 Gbit/s");
  CHECK(link("100") == "links of 100 Mbit/s");
  CHECK(link("0") == "no links");
  CHECK(name_parameter({"interconnect.delay", "0.05", ValueKind::kReal, true}) == "delay 0.05 ms");
  CHECK(name_parameter({"model", "mlp-258k", ValueKind::kText, true}) == "model mlp-258k");
  CHECK(name_parameter({"allreduce", "flat", ValueKind::kText, true}) == "allreduce=flat");
  CHECK(name_parameter({"lr_scale", "linear", ValueKind::kText, true}) == "lr_scale=linear");
  CHECK(name_parameter({"model.layers", "4", ValueKind::kInteger, true}) == "model.layers=4");
  CHECK(name_parameter({"bucket_mb", "25", ValueKind::kReal, true}) == "bucket 25 MiB");
  CHECK(name_parameter({"chunk_mb", "25", ValueKind::kReal, true}) == "chunk 25 MB");
  CHECK(name_parameter({"wait_ms", "auto", ValueKind::kText, true}) == "wait_ms=auto");
  CHECK(name_parameter({"first_bucket_mb", "1", ValueKind::kReal, true}) == "first bucket 1 MiB");
  CHECK(name_parameter({"env.wait_ms", "5", ValueKind::kReal, true}) == "env.wait_ms=5");
  CHECK(name_parameter({"gb_per_s", "2", ValueKind::kReal, true}) == "gb_per_s=2");
  CHECK(name_parameter({"env.NCCL_ALGO", "Ring", ValueKind::kText, true}) == "env.NCCL_ALGO=Ring");
  CHECK(name_parameter({"batch_global", "64", ValueKind::kInteger, true},
                       {{"batch_global", "Batch"}}) == "Batch=64");
}

TEST_CASE("a parameter's number is that of its kind, and text is none", "[store]") {
  const auto number = [](const char* value, ValueKind kind) {
    return CellRow::Parameter{"x", value, kind, true}.number();
  };
  CHECK(number("1000", ValueKind::kInteger) == 1000.0);
  CHECK(number("-0.25", ValueKind::kReal) == -0.25);
  CHECK(number("1e+16", ValueKind::kReal) == 1e16);
  CHECK_FALSE(number("true", ValueKind::kFlag));
  CHECK_FALSE(number("***", ValueKind::kInteger));  // masked
  CHECK_FALSE(number("inf", ValueKind::kReal));
  for (const char* text : {"2.10", "4", "1e3", "0x10", "inf", "1,024", " 4", "4 GiB", ""}) {
    CAPTURE(text);
    CHECK_FALSE(number(text, ValueKind::kText));
  }
}

TEST_CASE("a cell is on an axis by its parameter, else by what each cell has", "[store]") {
  CellRow cell = varied_cell(4);
  cell.batch_per_device = 64;
  CHECK(axis_number(cell, "devices") == 4.0);
  CHECK(axis_number(cell, "batch_global") == 256.0);
  CHECK(axis_number(cell, "batch_per_device") == 64.0);
  CHECK(axis_number(cell, "nodes") == 1.0);
  CHECK_FALSE(axis_number(cell, "bucket_mb"));
  cell.parameters[0].kind = ValueKind::kText;
  CHECK_FALSE(axis_number(cell, "batch_global"));
}

TEST_CASE("only numbers have units and the words of sizes", "[store]") {
  CHECK(name_value("interconnect.bandwidth", "fast") == "fast");
  CHECK(name_value("interconnect.delay", "short") == "short");
  CHECK(name_value("message_bytes", 65536.0) == "64 KiB");
  CHECK(name_value("message_bytes", 0.5) == "0.5");
  CHECK(name_value("interconnect.delay", 0.05) == "0.05 ms");
  CHECK(name_value("bucket_mb", 0.25) == "0.25");
  const CellRow::Parameter quoted{"message_bytes", "1024", ValueKind::kText, true};
  CHECK(name_parameter(quoted) == "message_bytes=1024");
  CHECK(name_curve("message_bytes=1024") == "1 KiB");  // a label has no kinds
  CHECK(name_curve("interconnect.bandwidth=0") == "no links");
}

TEST_CASE("a labelled value keeps its unit", "[store]") {
  const CellRow::Parameter link{"interconnect.bandwidth", "1000", ValueKind::kReal, true};
  CHECK(name_parameter(link, {{link.name, "link"}}) == "link=1 Gbit/s");
  CHECK(name_value("interconnect.bandwidth", "0") == "none");
  CHECK(name_value("interconnect.delay", "0.05") == "0.05 ms");
  CHECK(name_value("bucket_mb", "25") == "25");
}

TEST_CASE("a curve is named as its cells are", "[store]") {
  CHECK(name_curve("batch_global=64 devices=2 interconnect.bandwidth=1000") ==
        "2 devices, batch 64, links of 1 Gbit/s");
  CHECK(name_curve("env.NCCL_ALGO=Ring x=two words", {{"env.NCCL_ALGO", "algorithm"}}) ==
        "algorithm=Ring, x=two words");
  CHECK(name_curve("").empty());
  CHECK(name_curve("slow network") == "slow network");  // of a scenario
}

TEST_CASE("an axis has words, its label or its own name", "[store]") {
  CHECK(name_axis("batch_global") == "global batch");
  CHECK(name_axis("batch_global", {{"batch_global", "samples a step"}}) == "samples a step");
  CHECK(name_axis("bucket_mb") == "bucket_mb");
}

TEST_CASE("a baseline is named by what sets it apart", "[store]") {
  CellRow base = varied_cell(1);
  CellRow cell = varied_cell(2);
  CHECK(describe_against(base, cell) == "1 device");

  cell.parameters[0].value = "512";  // weak scaling: the batch follows the devices
  CHECK(describe_against(base, cell) == "1 device");

  base = cell;
  base.parameters.push_back({"env.NCCL_ALGO", "default", ValueKind::kText, true});
  cell.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, true});
  CHECK(describe_against(base, cell) == "env.NCCL_ALGO=default");
  CHECK(describe_against(cell, cell) == "2 devices");

  base.parameters.pop_back();  // a parameter that only one of them has
  CHECK(describe_against(cell, base) == "env.NCCL_ALGO=Ring");
}

TEST_CASE("a batch or nodes that do not follow from the devices are named", "[store]") {
  CellRow base = varied_cell(1);
  CellRow cell = varied_cell(2);
  base.batch_global = base.batch_per_device = 256;
  cell.parameters[0].value = "512";
  cell.batch_global = 512;
  cell.batch_per_device = 256;
  CHECK(describe_against(cell, base) == "2 devices");

  cell.parameters[0].value = "1024";
  cell.batch_global = 1024;
  cell.batch_per_device = 512;
  CHECK(describe_against(cell, base) == "2 devices, batch 1024");
  CHECK(describe_against(base, cell) == "1 device, batch 256");

  base.parameters = {{"nodes", "1", ValueKind::kInteger, true}};
  cell.parameters = {{"nodes", "2", ValueKind::kInteger, true}};
  cell.nodes = 2;
  CHECK(describe_against(cell, base) == "2 devices");
  CellRow spread = cell;
  spread.nodes = 1;
  CHECK(follows_devices("nodes", {&base, &cell}));
  CHECK_FALSE(follows_devices("nodes", {&base, &cell, &spread}));
}

TEST_CASE("devices are named first", "[store]") {
  const CellRow cell = varied_cell(2);
  CHECK(name_parameters(cell, [](const auto&) { return true; }) == "2 devices, batch 256");
  CHECK(name_parameters(cell, [](const auto&) { return false; }).empty());
}
