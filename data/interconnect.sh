#!/bin/sh
# Runs an mpirun whose nodes are network namespaces of this machine, joined by links of a declared rate.
#
#   sh interconnect.sh NODES RATE_BIT BURST_BYTES DELAY_US CORES mpirun ...
#
# Each node is joined to one bridge, with a token bucket at both ends of its link, and has the address
# 10.0.0.1, 10.0.0.2, ... under which mpirun knows it. DELAY_US: what a packet takes from node to node
# besides. CORES: of each node, the first node's first; 0: all of all. What tc says at the end goes into
# $SCALESTUDY_OUTPUT.links: a line of JSON of the bridge's ends, and one of each node. Exit code 77, with
# the reason on stderr, where this machine cannot do it.
#
# Nothing has a name outside: namespaces and links are gone with the processes in them, however those end.
set -u
PATH=$PATH:/usr/sbin:/sbin

unsupported() {
  echo "links cannot be emulated: $*" >&2
  exit 77
}

# Runs a command, silent unless it fails; $why says what it is for.
try() {
  said=$("$@" 2>&1) || unsupported "$why: $(echo "$said" | head -n 1) (in: $*)"
}

# Starts again with $0 in a namespace: root's, or one of a user's own.
start() {
  for program in ip:iproute2 tc:iproute2 unshare:util-linux nsenter:util-linux taskset:util-linux \
    hostname:hostname mpirun:openmpi-bin; do
    command -v "${program%:*}" >/dev/null || unsupported "${program%:*} is not found; install ${program#*:}"
  done
  for namespace in "--net" "--user --map-root-user --net"; do
    # shellcheck disable=SC2086
    if refusal=$(unshare $namespace true 2>&1); then
      # A user is root in there, and Open MPI's folder of root may be another's.
      user=$(id -u)
      [ "$user" = 0 ] || export OMPI_MCA_orte_tmpdir_base="/tmp/scalestudy-mpi-$user"
      exec unshare $namespace sh "$0" --inside "$@"
    fi
  done
  unsupported "network namespaces need root, or user namespaces: $refusal"
}

# A process that holds the namespaces of node $1 open, in $holder. Each has a name of its own: by it
# ranks of a node find their shared memory.
hold_namespace() {
  unshare --net --uts sh -c "hostname node$1 && exec sleep 2147483647" 3<&- &
  holder=$!
  holders="$holders $holder"
  until [ "$(nsenter --uts="/proc/$holder/ns/uts" uname -n 2>/dev/null)" = "node$1" ]; do
    # A process that has ended is still a child, without namespaces.
    [ -e /proc/$holder/ns/uts ] || unsupported "namespaces of a node are refused"
    sleep 0.005
  done
}

# Node $1, of the namespace that $holder holds.
join_node() {
  inside="nsenter --net=/proc/$holder/ns/net"
  bucket="root handle 1: tbf rate ${rate}bit burst $burst limit $limit"
  why="veth"
  try ip link add "port$1" type veth peer name eth0 netns "$holder"
  try ip link set "port$1" master hub up
  # shellcheck disable=SC2086
  {
    try $inside ip link set lo up
    try $inside ip addr add "10.0.$(($1 / 256)).$(($1 % 256))/16" dev eth0
    try $inside ip link set eth0 up
    why="interconnect.bandwidth (modprobe sch_tbf)"
    try tc qdisc add dev "port$1" $bucket
    try $inside tc qdisc add dev eth0 $bucket
    why="interconnect.delay (modprobe sch_netem)"
    if [ "$delay" -gt 0 ]; then
      try $inside tc qdisc add dev eth0 parent 1:1 handle 2: netem delay "${delay}us" limit 100000
    fi
  }
}

# Ends what is left on the nodes: behind a link that is down nobody can be told to.
end_nodes() {
  for holder in $holders; do
    node=$(readlink "/proc/$holder/ns/net")
    for process in /proc/[0-9]*; do
      if [ "$(readlink "$process/ns/net" 2>/dev/null)" = "$node" ]; then
        kill -9 "${process#/proc/}" 2>/dev/null
      fi
    done
  done
}

# In a namespace of its own: makes the nodes, runs the command, reads the links.
run() {
  nodes=$1 rate=$2 burst=$3 delay=$4 cores=$5
  shift 5
  limit=$((burst + rate / 160 + 1000000)) # 50 ms of the rate and a megabyte: nothing is dropped
  [ "$limit" -le 4000000000 ] || limit=4000000000 # tc has 32 bits for it
  exec 3<"$0"
  holders=
  trap 'kill $holders 2>/dev/null' EXIT
  why="bridge"
  try ip link set lo up
  try ip link add hub type bridge
  try ip addr add 10.0.255.254/16 dev hub
  try ip link set hub up
  node=0
  while [ $((node += 1)) -le "$nodes" ]; do
    hold_namespace $node
    join_node $node
  done
  export SCALESTUDY_LINKED_NODES="$cores $holders"
  export OMPI_MCA_plm_rsh_agent="sh /proc/$$/fd/3 --on"
  "$@"
  status=$?
  {
    tc -s -j qdisc show | tr -d '\n' && echo
    for holder in $holders; do
      nsenter --net="/proc/$holder/ns/net" tc -s -j qdisc show | tr -d '\n' && echo
    done
  } >"$SCALESTUDY_OUTPUT.links"
  [ $status = 0 ] || end_nodes
  exit $status
}

# The $2 cores of node $1, each by the first of its hardware threads that is among $3 ("2,5-7"); $4 is
# the machine's /sys.
cores_of() {
  core=0 mine='' seen=' '
  for range in $(echo "$3" | tr , ' '); do
    for cpu in $(seq "${range%-*}" "${range#*-}"); do
      siblings=$(cat "$4/devices/system/cpu/cpu$cpu/topology/thread_siblings_list" 2>/dev/null || echo "$cpu")
      first=${siblings%%[-,]*}
      case $seen in *" $first "*) continue ;; esac # another thread of a core that is counted
      seen="$seen$first "
      [ $((core / $2 + 1)) -ne "$1" ] || mine=$mine,$cpu
      core=$((core + 1))
    done
  done
  echo "${mine#,}"
}

# In place of ssh: runs a command on the node of an address, on its cores.
run_on() {
  host=${1%.*}
  index=$((${host##*.} * 256 + ${1##*.}))
  shift
  command=$*
  # shellcheck disable=SC2086
  set -- $SCALESTUDY_LINKED_NODES
  cores=$1
  shift $index
  node=/proc/$1/ns
  set -- nsenter --net="$node/net" --uts="$node/uts" sh -c "$command"
  if [ "$cores" -gt 0 ]; then
    allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    set -- taskset -c "$(cores_of $index "$cores" "$allowed" /sys)" "$@"
  fi
  exec "$@"
}

case $1 in
  --inside) shift && run "$@" ;;
  --on) shift && run_on "$@" ;;
  --cores) shift && cores_of "$@" ;;
  *) start "$@" ;;
esac
