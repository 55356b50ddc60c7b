#!/bin/sh
# install-tools.sh [--build]: installs, with apt-get, what the user_events VM and the tests in it need; with --build
# also what building its kernels needs. Does nothing if everything is installed.
set -eu
export DEBIAN_FRONTEND=noninteractive

packages='busybox-static util-linux linux-perf trace-cmd qemu-system-x86'
for option in "$@"; do
  case $option in
    --build) packages="$packages make gcc libc6-dev libelf-dev flex bison bc perl xz-utils debian-archive-keyring" ;;
    *)
      echo "install-tools.sh: there is no option \"$option\"; the only one is --build." >&2
      exit 2
      ;;
  esac
done

# shellcheck disable=SC2086 # a list of words
dpkg -s $packages >/dev/null 2>&1 && exit
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo

# A mirror during an update, or a dropped connection: the second try usually works
# shellcheck disable=SC2086
install() {
  $sudo apt-get update -q && $sudo apt-get install -qy --no-install-recommends $packages
}
install || install
