bool is_about(const Row& row, const std::string& name) {
  return row.finding.find(": " + name + " ") != std::string::npos;
}

bool is_of_cores(const Study& study) {
  return device_sentence(study.declared()).starts_with("A device is a CPU core");
}
