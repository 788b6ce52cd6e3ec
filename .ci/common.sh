# What the gates share; sourced from the root of the repository.

# Fresh virtual environment and cold caches in a temporary folder, $room.
fresh_environment() {
    room=$(mktemp -d)
    trap 'rm -rf "$room"' EXIT
    python3 -m venv "$room/venv"
    export VIRTUAL_ENV=$room/venv PATH=$room/venv/bin:$PATH
    export NUMBA_CACHE_DIR=$room/numba MPLBACKEND=Agg PIP_DISABLE_PIP_VERSION_CHECK=1
    unset PYTHONPATH
}

# Where the corpora are named, or lie beside the checkout, nothing may skip them.
demand_data() {
    local beside
    beside=$(cd .. && pwd)/shared/data
    if [ -n "${SKSTRUCT_DATA-}" ] || [ -d "$beside" ]; then
        export SKSTRUCT_DATA=${SKSTRUCT_DATA:-$beside} SKSTRUCT_REQUIRE_DATA=1
    fi
}

# The one command of README that installs and then runs $1.
readme_command() {
    local found
    found=$(grep -E "^pip install .*$1" README.md) || {
        echo "README.md has no command with $1" >&2
        return 1
    }
    [ "$(wc -l <<<"$found")" -eq 1 ] || {
        echo "README.md has several commands with $1" >&2
        return 1
    }
    printf '%s\n' "$found"
}

# Runs one command line and says how long it took.
step() {
    local start=$SECONDS
    printf '\n== %s\n' "$1"
    bash -o pipefail -c "$1"
    printf '== %s s\n' "$((SECONDS - start))"
}
