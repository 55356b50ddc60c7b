#!/bin/sh
# alpine.sh COMMAND: runs a shell command in this checkout in an Alpine container with Node.js and everything needed to
# build the addon and run the tests.
set -eu
cd "$(dirname "$0")/../.."
apk add --no-cache bash binutils g++ make python3
sh -euc "$1"
