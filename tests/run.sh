#!/usr/bin/env bash
# What guards every change:    bash tests/run.sh
# what takes a minute of it:   bash tests/run.sh fast
# besides, what takes long:    bash tests/run.sh all
# style, types and some tests: bash tests/run.sh PYTEST-ARGUMENTS
# Makes what is missing (.venv, the pinned packages, a Chromium) and needs no network once all is there.
# Paths among the pytest arguments are relative to the repository root. What the caller has set changes nothing; CHROMIUM
# may name a browser.
set -euo pipefail
unset ${!ENCODER_@} ${!HF_@} ${!HUGGINGFACE_@} ${!MYPY@} ${!PYTEST_@} ${!PYTHON@} ${!RUFF_@} ${!STREAMLIT_@} ${!TRANSFORMERS_@} LOCAL_RANK OMP_NUM_THREADS RANK WORLD_SIZE
exec </dev/null
CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }
die() {
  printf 'tests/run.sh: %s\n' "$*" >&2
  exit 1
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "apt-get install $*"
  apt-get update -qq >/dev/null &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

is_recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

has_packages() { # every pinned package, at its pinned version
  "$1" - requirements.txt tests/requirements.txt tests/requirements-no-deps.txt 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version

for path in sys.argv[1:]:
    for line in filter(None, (line.partition("#")[0].strip() for line in open(path))):
        name, _, pin = line.partition(";")[0].strip().partition("==")
        assert version(name).partition("+")[0] == pin
PYTHON
}

base_python() {
  local candidate
  for candidate in python3 python python3.14 python3.13 python3.12 python3.11; do
    if is_recent "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# An active environment that already has everything is used as it is; in all other cases .venv is.
python="${VIRTUAL_ENV:-}/bin/python"
if [ -n "${VIRTUAL_ENV:-}" ] && is_recent "$python" && has_packages "$python"; then
  say "using the active environment"
else
  python="$PWD/.venv/bin/python"
  if ! is_recent "$python" || ! "$python" -m pip --version >/dev/null 2>&1; then
    base=$(base_python) || die "Python 3.11 or newer is needed, and none is on PATH."
    say "making .venv with $("$base" --version)"
    package=$("$base" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    "$base" -m venv --clear .venv >/dev/null 2>&1 ||
      { apt_install "$package" && "$base" -m venv --clear .venv; } ||
      die "$base cannot make a virtual environment: install the system package $package."
  fi
  if ! has_packages "$python"; then
    say "installing requirements.txt, tests/requirements.txt and tests/requirements-no-deps.txt into .venv"
    { "$python" -m pip install -q --disable-pip-version-check -r requirements.txt -r tests/requirements.txt &&
      "$python" -m pip install -q --disable-pip-version-check --no-deps -r tests/requirements-no-deps.txt; } ||
      die "the packages could not be installed into .venv; pip says why above."
  fi
fi
say "$("$python" --version) in ${python%/bin/python}"

find_chromium() { CHROMIUM=$("$python" tests/browser/chromium.py 2>/dev/null); }
get_chromium() { # Playwright's own; else the system's, rather the one without windows; else what Playwright's own lacks
  say "no Chromium found: playwright install chromium"
  "$python" -m playwright install chromium >/dev/null 2>&1
  find_chromium && return
  apt_install chromium-headless-shell || apt_install chromium
  find_chromium && return
  [ "$(id -u)" = 0 ] && "$python" -m playwright install-deps chromium >/dev/null 2>&1
  find_chromium
}
need_chromium() {
  find_chromium || get_chromium ||
    die "no Chromium could be had: install one (for example 'apt-get install chromium') or set CHROMIUM to its path."
  export CHROMIUM
  say "Chromium: $CHROMIUM"
}

check_scripts() { # the types of the scripts, with the pinned TypeScript, their tests, and that what is built is of them
  local folder=tests/javascript
  local compiler=$folder/node_modules/typescript/bin/tsc package pin
  command -v node >/dev/null || { say "no node: the scripts are not checked" && return; }
  for package in typescript esbuild plotly.js-cartesian-dist-min; do
    pin=$(sed -n "s/.*\"$package\": \"\(.*\)\".*/\1/p" $folder/package.json)
    grep -qs "\"version\": \"$pin\"" $folder/node_modules/$package/package.json ||
      npm ci --prefix $folder --no-audit --no-fund >/dev/null 2>&1 ||
      { say "$package $pin could not be had: the scripts are not checked" && return; }
  done
  say "tsc, the tests of the scripts, and whether the built one is theirs"
  node $compiler --project $folder
  node --test --test-reporter=dot $folder/*.test.mjs
  node $folder/build.mjs --check
}

check_types() { # of the product, beside it of the calls in the tests, and of the scripts
  say "mypy, beside it the calls in the tests"
  "$python" -m mypy --config-file tests/mypy.ini &
  local calls=$!
  "$python" -m mypy
  wait $calls
  check_scripts
}

[ "${1:-}" = fast ] || need_chromium
say "ruff check"
"$python" -m ruff check .
say "ruff format --check"
"$python" -m ruff format --check .
case "${1:-}" in
fast)
  shift
  types=$(mktemp) passed=yes
  trap 'rm -f "$types"' EXIT
  "$python" -m mypy >"$types" 2>&1 &
  checked=$!
  say "pytest, the fast tests, on two processors; beside it mypy"
  # Files that are slow or nightly as a whole are not even read.
  "$python" tests/measured.py fast -q -n 2 -m "not slow and not nightly" "$@" tests --ignore=tests/browser \
    $(grep -lE '^pytestmark = pytest.mark.(slow|nightly)' tests/test_*.py | sed 's/^/--ignore=/') || passed=no
  wait $checked || passed=no
  cat "$types"
  [ $passed = yes ] || die "failed: see above."
  ;;
"" | all)
  check_types
  failed=()
  chosen=(-m "not nightly")
  [ "${1:-}" = all ] && chosen=()
  for part in a-l m-z; do # new processes for each: what libraries leave in one that ran all takes gigabytes
    say "pytest, tests/test_[$part]*.py, on two processors"
    "$python" tests/measured.py "tests_$part" -q -n 2 --dist worksteal "${chosen[@]}" tests/test_[$part]*.py ||
      failed+=("the tests without a browser, $part")
  done
  # What needs the server of the app runs apart from what needs none: it holds up to 1 GB besides.
  for part in "without a server" "with a server, a-f" "with a server, g-z"; do
    say "pytest, the tests of tests/browser $part, in two browsers"
    case $part in
    without*) files=$(grep -L app_url tests/browser/test_*.py) ;;
    *) files=$(grep -l app_url tests/browser/test_[${part##* }]*.py) ;;
    esac
    # shellcheck disable=SC2086 # no name of a file has a space
    "$python" tests/measured.py "browser_${part//[ ,]/_}" -q -n 2 --dist worksteal "${chosen[@]}" $files ||
      failed+=("the browser tests $part")
  done
  [ ${#failed[@]} = 0 ] || die "failed: $(printf '%s; ' "${failed[@]}")see above."
  ;;
*)
  check_types
  say "pytest $*"
  "$python" -m pytest "$@"
  ;;
esac
say "all checks passed"
