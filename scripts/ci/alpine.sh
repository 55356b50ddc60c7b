#!/bin/sh
# alpine.sh COMMAND: runs a shell command in this checkout in an Alpine container with Node.js, with what building
# the addon and running the tests takes.
set -eu
cd "$(dirname "$0")/../.."
apk add --no-cache bash binutils g++ make python3
sh -euc "$1"
