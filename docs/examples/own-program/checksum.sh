#!/bin/sh
# A program that knows nothing of scalestudy: checksums of the same data again and again, cut into a
# part for each process; one line a time. usage: checksum.sh PROCESSES KILOBYTES TIMES
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
head -c "${2}000" /dev/urandom >"$folder/data"
split -n "$1" "$folder/data" "$folder/part"
for i in $(seq "$3"); do
  begin=$(date +%s%N)
  printf '%s\n' "$folder"/part* | xargs -n 1 -P "$1" sha256sum >/dev/null
  end=$(date +%s%N)
  echo "time $i: $(((end - begin) / 1000)) us"
done
