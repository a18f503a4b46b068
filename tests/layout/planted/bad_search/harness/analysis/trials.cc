bool is_needed(const Trial& trial) {
  return trial.reason != "precision reached";
}
