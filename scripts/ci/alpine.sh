#!/bin/sh
# alpine.sh COMMAND: runs a shell command in this checkout in an Alpine container with Node.js, with what building
# the addon takes.
set -eu
cd "$(dirname "$0")/../.."
apk add --no-cache g++ make python3 binutils
sh -euc "$1"
