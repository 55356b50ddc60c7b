#!/bin/bash
# In a Debian 12 container with Node.js, as root:
#   debian.sh kernels    builds the guests' kernels into kernels/, unless they exist
#   debian.sh COMMAND    runs a shell command with everything that guests, sanitizers and valgrind require; if any of it
#                        is missing, that is a failure
set -euo pipefail
cd "$(dirname "$0")/../.."
export DEBIAN_FRONTEND=noninteractive
kernels=$PWD/kernels

if [ "$1" = kernels ]; then
  scripts/vm/install-tools.sh --build
  node scripts/vm/build-kernel.mjs uml qemu
  mkdir -p "$kernels"
  cp "${XDG_CACHE_HOME:-$HOME/.cache}"/tracewright/kernels/{linux-um,bzImage} "$kernels"
  exit
fi

scripts/vm/install-tools.sh
apt-get install -qy --no-install-recommends g++ make python3 valgrind
export TRACEWRIGHT_VM_KERNELS=$kernels
export TRACEWRIGHT_REQUIRE=native,kernel,qemu,tools
bash -euo pipefail -c "$1"
