#!/bin/sh
# Builds prebuilds/ in a manylinux_2_28 container, where /node is an installation of Node.js with its headers. The
# container's compiler is new; anything in its C++ library that GCC 8's lacks is linked statically.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python 3.6 is too old for node-gyp
PATH=/opt/python/cp312-cp312/bin:/node/bin:$PATH
export PATH
npm ci --ignore-scripts --no-audit --no-fund
npm run prebuild -- --host
