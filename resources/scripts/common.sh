# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What start.sh and check.sh share. Sourced, never run. Expects ROOT, the repository's folder.

BUILD="${SECATEUR_BUILD_DIR:-$ROOT/build}"
PACKAGES_FILE="$ROOT/resources/scripts/packages.txt"

# As secateur-cli has it: something needed is missing here.
EXIT_MISSING=4

say() { printf '%s\n' "$*"; }

# fail CODE WORDS...: the last words, to standard error.
fail() {
    local code=$1
    shift
    printf '\n%s\n' "$*" >&2
    exit "$code"
}

# The packages of packages.txt, one a line.
package_names() { sed -e 's/#.*//' -e 's/|.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$PACKAGES_FILE"; }

# Those of them that are not installed.
missing_packages() {
    local installed
    # dpkg-query answers for known names and fails for unknown ones: both are wanted here.
    # shellcheck disable=SC2046
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(package_names) 2>/dev/null |
        sed -n 's/^installed //p' | sort -u)
    package_names | sort -u | comm -23 - <(printf '%s\n' "$installed")
}

is_debian_like() {
    [ -r /etc/os-release ] || return 1
    # shellcheck disable=SC1091
    (. /etc/os-release && case " ${ID:-} ${ID_LIKE:-} " in *" debian "* | *" ubuntu "*) true ;; *) false ;; esac) &&
        command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# What a system without apt needs, from the second column of packages.txt.
list_requirements() { sed -n -e '/^#/d' -e 's/^[^|]*| */  - /p' "$PACKAGES_FILE"; }

# The words that run a command as root: nothing for root itself, "sudo" where it works; fails where neither does.
root_words() {
    if [ "$(id -u)" = 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null || return 1
    # Without a terminal sudo cannot ask for a password; with one it asks now, before the long output begins.
    if [ -t 0 ]; then sudo -v || return 1; else sudo -n true 2>/dev/null || return 1; fi
    printf 'sudo'
}

# install_packages: installs what is missing, or says exactly what to type and exits 4.
install_packages() {
    local missing words
    missing=$(missing_packages | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if ! words=$(root_words); then
        fail $EXIT_MISSING "Some packages are missing, and this user may not install them. Ask someone who may to run:

    apt-get update && apt-get install --no-install-recommends -y $missing

then start this script again."
    fi
    # shellcheck disable=SC2086
    $words env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null &&
        $words env DEBIAN_FRONTEND=noninteractive apt-get install -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends $missing </dev/null
}

# free_mib FOLDER: the space left where FOLDER is (or will be), in MiB.
free_mib() {
    local folder=$1
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    df -Pm "$folder" | awk 'NR == 2 { print $4 }'
}

# How many compilers at once: one a core, but none without 1.2 GiB of free memory.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1258291) }' /proc/meminfo)
    [ "${memory:-1}" -ge 1 ] || memory=1
    if [ "$memory" -lt "$cores" ]; then printf '%s' "$memory"; else printf '%s' "$cores"; fi
}

# Programs with windows want a private folder for sockets; a root shell or a container has none.
ensure_runtime_dir() {
    if [ -z "${XDG_RUNTIME_DIR:-}" ] || [ ! -d "$XDG_RUNTIME_DIR" ]; then
        export XDG_RUNTIME_DIR="$BUILD/runtime"
        mkdir -p "$XDG_RUNTIME_DIR"
        chmod 0700 "$XDG_RUNTIME_DIR"
    fi
}

# One line about the GPU: nothing is ever installed for it.
cuda_line() {
    local nvcc
    nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && printf '/usr/local/cuda/bin/nvcc'; } || true)
    if [ -n "$nvcc" ]; then
        say "CUDA toolkit: found ($nvcc); no part of this version needs it, everything runs on the CPU."
    else
        say "CUDA toolkit: not found, not needed and not installed; everything runs on the CPU."
    fi
}
