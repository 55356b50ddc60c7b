#!/bin/bash
# Tests tracewright on this machine's kernel, which must have user_events, with that kernel's own perf:
# user-events-native.sh. For throwaway machines, as root or with sudo: it installs packages, opens user_events to
# everybody and switches tracepoints. Requires a checkout that is set up (npm run setup).
#
# On Ubuntu, perf is a separate package for each kernel: linux-tools-KERNEL. Elsewhere perf must be installed.
set -euo pipefail
cd "$(dirname "$0")/../.."

sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo env "PATH=$PATH")

if ! perf version >/dev/null 2>&1 || ! command -v trace-cmd >/dev/null; then
  install() {
    "${sudo[@]}" apt-get update -q &&
      "${sudo[@]}" apt-get install -qy --no-install-recommends linux-tools-common "linux-tools-$(uname -r)" trace-cmd
  }
  install || install
fi
perf version
uname -a

tracefs=/sys/kernel/tracing
"${sudo[@]}" sh -c "[ -e $tracefs/events ] || mount -t tracefs tracefs $tracefs"
if ! "${sudo[@]}" test -e $tracefs/user_events_data; then
  echo "This kernel ($(uname -r)) has no user_events: there is no $tracefs/user_events_data." >&2
  exit 1
fi
"${sudo[@]}" chmod a+x $tracefs
"${sudo[@]}" chmod a+w $tracefs/user_events_data

echo '== A recording of an unprivileged program by perf'
requests=400
folder=$(mktemp -d)
node test/kernel/programs/requests.mjs $requests >"$folder/result.json" &
program=$!
trap 'kill $program 2>/dev/null || true' EXIT
tracepoints=(MyCompany_MyService_L4K0 MyCompany_MyService_L5K2)
for tracepoint in "${tracepoints[@]}"; do
  for ((tick = 0; ; tick++)); do
    "${sudo[@]}" test -e "$tracefs/events/user_events/$tracepoint" && break
    if [ $tick = 100 ] || ! kill -0 $program 2>/dev/null; then
      echo "The program has not made its tracepoint $tracepoint." >&2
      exit 1
    fi
    sleep 0.1
  done
done
"${sudo[@]}" perf record -q -a -o "$folder/perf.data" "${tracepoints[@]/#/-euser_events:}" \
  sh -c "while kill -0 $program 2>/dev/null; do sleep 0.1; done"
wait $program
"${sudo[@]}" chmod a+r "$folder/perf.data"
perf script --force -i "$folder/perf.data" >"$folder/script.txt"
head -5 "$folder/script.txt"
node scripts/ci/check-recording.mjs "$folder/perf.data" "$folder/script.txt" "$folder/result.json" $requests
"${sudo[@]}" rm -r "$folder"

echo '== The kernel tests on this kernel'
# One of them runs as nobody, who cannot access a home folder
parent=$PWD
while [ "$parent" != / ]; do
  "${sudo[@]}" chmod a+x "$parent"
  parent=$(dirname "$parent")
done
"${sudo[@]}" env TRACEWRIGHT_REQUIRE=kernel npx vitest run --config scripts/ci/native-kernel.config.mjs
