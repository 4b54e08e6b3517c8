"""Kubernetes' Go modules, and what can be read of their formatted sources: types, constants, gates and functions.

The go command fetches the modules, and the toolchain that they need. Only the standard library is needed here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r'^\t(?:\w+ )?\s*(\S+)\s+`json:"([\w]*)(,inline)?[^`]*`')
CONSTANT = re.compile(r'^\t(?:\w+)\s+(\w+)\s+= "([^"]*)"', re.M)
GATE = re.compile(r"^\t(?:\w+\.)?(\w+): \{\n((?:\t\t(?:\{.*|//.*)\n)+)\t\}", re.M)
STAGE = re.compile(r'MustParse\("([\d.]+)"\).*Default: (\w+).*PreRelease: \w+\.(\w+)')
FUNCTION = re.compile(r"^func (?:\((?:\w+ )?\*?(\w+)[^)]*\) )?(\w+)[(\[](?:.*\n)*?^\}", re.M)
VARIABLE = re.compile(r"^(?:var|const) (\w+)\b.*(?:[{(]\n(?:.*\n)*?^[})]|$)", re.M)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`')
COMMENT = re.compile(r"^\s*//.*\n|\s+//[^\"`\n]*$", re.M)
LIBRARY = re.compile(r"IntroducedVersion:\s+version\.MajorMinor\(1, (\d+)\),(.*?)\n\t\},?\n", re.S)

NOT_READ = ("_test.go", "conversion.go", "register.go", "deepcopy.go", "doc.go")
"""Files without a decision: conversions between versions change whenever a field does."""

Stage = tuple[str, str, bool, bool]
"""As in FEATURE_GATES: the release, the stage, the default, locked."""


class GoField(NamedTuple):
    """A field of a Go type.

    Attributes:
        type: as written, without the package of another one.
        tags: the lines of its comment that begin with a plus.
    """

    type: str
    tags: tuple[str, ...]


def versions(module: str) -> list[str]:
    """Return the versions that the Go module proxy serves, the oldest first."""
    listed = _go("list", "-m", "-versions", "-json", module)
    found: list[str] = json.loads(listed).get("Versions", [])
    return found


def newest(module: str, release: str) -> str:
    """Return the newest served version of a release, final ones before pre-releases.

    Raises:
        LookupError: none is served.
    """
    major = "1" if module == "k8s.io/kubernetes" else "0"
    start = f"v{major}.{release.partition('.')[2]}."
    found = [each for each in versions(module) if each.startswith(start)]
    if not found:
        raise LookupError(f"no {module} {start}x is served")
    return ([each for each in found if "-" not in each] or found)[-1]


def fetch(module: str, version: str) -> Path:
    """Return the folder of a module; downloads it if necessary.

    Raises:
        subprocess.CalledProcessError: it is not served.
    """
    return Path(json.loads(_go("mod", "download", "-json", f"{module}@{version}"))["Dir"])


def _go(*arguments: str) -> str:
    environment = {**os.environ, "GOTOOLCHAIN": "auto", "GOFLAGS": "", "GOWORK": "off"}
    ran = subprocess.run(
        ["go", *arguments], cwd="/", env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout


def structs(text: str) -> dict[str, dict[str, GoField]]:
    """Return the types of a file, and their fields by JSON name; embedded ones by their type, with a ``+``."""
    found: dict[str, dict[str, GoField]] = {}
    for match in STRUCT.finditer(text):
        fields = found.setdefault(match[1], {})
        tags: list[str] = []
        for line in match[2].splitlines():
            comment = line.strip().removeprefix("//").strip()
            if line.strip().startswith("//"):
                tags += [comment] if comment.startswith("+") else []
            elif field := FIELD.match(line):
                kind = re.sub(r"\b\w+\.", "", field[1])
                fields[field[2] or f"+{kind}"] = GoField(kind, tuple(tags))
                tags = []
            elif not line.strip():
                tags = []
    return found


def constants(text: str) -> dict[str, tuple[str, ...]]:
    """Return the strings that are declared of each type."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, value in CONSTANT.findall(text):
        found[kind] = (*found.get(kind, ()), value)
    return found


def gates(text: str) -> dict[str, tuple[Stage, ...]]:
    """Return the stages of each feature gate that a file registers, by default."""
    return {
        match[1]: tuple(
            (
                stage[1],
                {"GA": "stable"}.get(stage[3], stage[3].lower()),
                stage[2] == "true",
                "LockToDefault: true" in line,
            )
            for line in match[2].splitlines()
            if (stage := STAGE.search(line)) and "MinCompatibilityVersion" not in line
        )
        for match in GATE.finditer(text)
    }


def functions(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the functions, methods and variables of a package, without comments."""
    for path in sorted(folder.glob("*.go")):
        if path.name.endswith(NOT_READ):
            continue
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        for match in FUNCTION.finditer(text):
            if match[2] != "init":
                yield f"{match[1]}.{match[2]}" if match[1] else match[2], match[0]
        for match in VARIABLE.finditer(text):
            yield match[1], match[0]


def libraries(text: str) -> dict[str, int]:
    """Return the CEL libraries of ``environment/base.go``, with how many a release introduces."""
    found: dict[str, int] = {}
    for minor, _ in LIBRARY.findall(text):
        found[f"1.{minor}"] = found.get(f"1.{minor}", 0) + 1
    return found
