#!/bin/sh
# Installs, with apt-get and npm, what building for Windows and running Windows programs takes: a cross-compiler,
# Wine, and in the user's cache folder node.exe and a Wine prefix. Does nothing where all of it is there.
set -eu
export DEBIAN_FRONTEND=noninteractive

packages='g++-mingw-w64-x86-64-posix cmake make util-linux wine64'
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo

# A mirror in the middle of an update, or a dropped connection: the second try mostly works
# shellcheck disable=SC2086 # a list of words
install() {
  $sudo apt-get update -q && $sudo apt-get install -qy --no-install-recommends $packages
}

# shellcheck disable=SC2086
dpkg -s $packages >/dev/null 2>&1 || install || install
exec node "$(dirname "$0")/wine-files.mjs"
