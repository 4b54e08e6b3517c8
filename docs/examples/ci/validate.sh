#!/usr/bin/env bash
# Validate the Jobs of a repository that Argo CD or Flux applies: manifests, charts and overlays.
#
#   scripts/validate.sh [FOLDER] [OPTION OF jobsworth validate]...
#
# Copy it into the repository, and run it in CI and before a commit. Environment:
#   BASE_REF  a commit, such as origin/main: also validate changed manifests as updates of their versions there
#   REPORT    a file: also write a JUnit report
#
# Exit codes: 0 all Jobs are valid, 1 a Job is not, 2 something cannot be read or rendered, or is not installed.
set -euo pipefail

folder=.
if [ $# -gt 0 ] && [ -d "$1" ]; then
  folder=$1
  shift
fi

if ! command -v jobsworth >/dev/null; then
  echo "jobsworth is not installed: run pip install 'jobsworth[policy]'" >&2
  exit 2
fi

reports=(--output text)
[ -z "${REPORT:-}" ] || reports+=(--output "junit=$REPORT")

worst=0
run() {
  local code=0
  "$@" || code=$?
  [ "$code" -le "$worst" ] || worst=$code
}

# Charts and overlays as helm, and kustomize or kubectl, render them; a template by itself is passed over.
run jobsworth validate --render --mixed "${reports[@]}" "$@" -- "$folder"
if [ -n "${BASE_REF:-}" ]; then
  run jobsworth validate --git-ref "$BASE_REF" --mixed "$@" -- "$folder"
fi
exit "$worst"
