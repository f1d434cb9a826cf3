# Shared by the scripts of this folder: packages, configuring, building.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

# The sources use precompiled headers, which ccache only takes when told that these two are harmless.
export CCACHE_SLOPPINESS=pch_defines,time_macros
# Where the home directory cannot be written (service accounts), the cache lies in the build folder.
if [ -z "${CCACHE_DIR:-}" ] && ! mkdir -p "${HOME:-/nonexistent}/.cache/ccache" 2>/dev/null; then
  export CCACHE_DIR="$top/build/ccache"
fi

# Memory layouts of newer kernels (vm.mmap_rnd_bits=32) are too random for the sanitizers of GCC 12
# and clang 14, which then fail at start by chance. Where the kernel lets us, programs get a fixed
# layout.
fixed_layout=()
if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  fixed_layout=(setarch "$(uname -m)" --addr-no-randomize)
fi

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# packages_of SECTION...: the names in these sections of scripts/packages.
packages_of() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" \
      '/^\[/ { on = ($0 == wanted); next } on && NF && !/^#/ { print $1 }' "$top/scripts/packages"
  done
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages SECTION...: installs what is missing; does nothing, and needs no network, when
# nothing is.
install_packages() {
  local package missing=()
  for package in $(packages_of "$@"); do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing: ${missing[*]}"
  command -v apt-get >/dev/null || die "no apt-get here; install these yourself: ${missing[*]}"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "not root and no sudo; as root run: apt-get install ${missing[*]}"
  fi
  (
    umask 022 # apt's own files must be readable for its download user
    as_root apt-get update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      "${missing[@]}"
  ) || die "apt-get failed; the messages above say why"
}

# build FOLDER TARGET OPTION...: configures build/FOLDER and builds a target in it ("all" for all).
build() {
  local folder=$1 target=$2
  shift 2
  say "building build/$folder"
  cmake -S "$top" -B "$top/build/$folder" -G Ninja -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" \
    >"$top/build/$folder.configure.log" 2>&1 || {
    cat "$top/build/$folder.configure.log" >&2
    die "configuring build/$folder failed"
  }
  grep '^-- Part' "$top/build/$folder.configure.log" || true
  "${fixed_layout[@]}" cmake --build "$top/build/$folder" --parallel "$jobs" --target "$target" ||
    die "building build/$folder failed"
}

mkdir -p "$top/build"
