"""Print what a new Kubernetes release changes for Jobs, as a work list: see docs/develop/a-new-release.md.

    tests/cluster/new_release 1.38                              # against 1.37, from the newest versions that are served
    tests/cluster/new_release 1.38 --changelog CHANGELOG.md     # also the lines of a changelog that concern Jobs
    tests/cluster/new_release 1.38 --cases cases.jsonl          # also writes requests about each changed field
    tests/cluster/new_release --newest                          # prints the newest version if it is not known here

Each line is ``declared`` (jobsworth has it), ``missing``, or ``look`` (a person must judge); with a note in
tests/cluster/new_releases/<release>.toml it is ``noted``: what was done, or why nothing is to be done. The first pattern that
matches the key of a line counts.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from cluster import go_sources
from cluster.go_sources import GoField
from jobsworth.api.api_server import PREVIEW, RELEASES, minor
from jobsworth.api.declare import Field
from jobsworth.api.declared_types import structs_below
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.api.kinds import kinds
from kube_cel import libraries

NOTES = Path(__file__).parent / "new_releases"
MODULES = ("k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/kubernetes")
PUBLISHED = "api/openapi-spec/v3/apis__batch__v1_openapi.json"
TYPES = {
    "k8s.io/api": ("batch/v1", "core/v1", "scheduling/v1", "scheduling/v1beta1"),
    "k8s.io/apimachinery": ("pkg/apis/meta/v1",),
}
ROOTS = {
    "k8s.io/kubernetes": (
        "pkg/registry/batch/job",
        "pkg/registry/batch/cronjob",
        "pkg/apis/batch/validation",
        "pkg/apis/batch/v1",
        "pkg/api/job",
    ),
    "k8s.io/apimachinery": ("pkg/api/resource",),
}
"""The packages all of whose functions may decide about a Job; of the others those that are called."""
CALLED = {
    "k8s.io/kubernetes": (
        "pkg/apis/core/validation",
        "pkg/apis/core/v1",
        "pkg/apis/core/v1/helper",
        "pkg/apis/core/helper",
        "pkg/api/pod",
        "pkg/api/v1/pod",
        "pkg/api/persistentvolumeclaim",
    ),
    "k8s.io/apimachinery": (
        "pkg/api/validation",
        "pkg/api/validate",
        "pkg/api/validate/content",
        "pkg/util/validation",
        "pkg/util/validation/field",
        "pkg/apis/meta/v1/validation",
    ),
    "k8s.io/apiserver": ("pkg/registry/rest",),
}
OTHERS = {
    "controller": ("k8s.io/kubernetes", ("pkg/controller/job", "pkg/controller/cronjob")),
    "CEL": ("k8s.io/apiserver", ("pkg/cel/library", "pkg/cel/common", "pkg/cel/environment")),
}
GATES = {
    "k8s.io/kubernetes": ("pkg/features/kube_features.go",),
    "k8s.io/apiserver": ("pkg/features/kube_features.go",),
}
LIBRARIES = ("google/cel-go", "robfig/cron/v3", "sigs.k8s.io/json", "gopkg.in/inf.v0")
CONCERNS = re.compile(
    r"\b(jobs?|cronjobs?|pod ?templates?|podspec|pod spec|quantit\w+|CEL|validating\w*|validation|gang|workload|"
    r"admission ?polic\w+|mutatingadmission\w*|limitranger?|resourcequota|podcertificate\w*|topology spread|OpenAPI)\b",
    re.I,
)
WORDS = 3
CASES = 24


class Line(NamedTuple):
    """A line of the work list.

    Attributes:
        about: a group of lines: ``field``, ``gate``, ``validation``.
        key: names the line within its release, for notes.
        state: ``declared``, ``missing`` or ``look``.
        detail: what changed.
    """

    about: str
    key: str
    state: str
    detail: str = ""


class Sources(NamedTuple):
    """The modules of one release.

    Attributes:
        release: such as ``1.38``.
        versions: of the modules.
        folders: of the modules.
    """

    release: str
    versions: dict[str, str]
    folders: dict[str, Path]

    @classmethod
    def served(cls, release: str) -> Sources:
        """Fetch the newest served modules of a release."""
        found = {module: go_sources.newest(module, release) for module in MODULES}
        folders = {module: go_sources.fetch(module, each) for module, each in found.items()}
        return cls(release, found, folders)

    def text(self, module: str, path: str) -> str:
        """Return the text of a file; empty if there is none."""
        file = self.folders[module] / path
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def functions(self, packages: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        """Return the functions of some packages, by package and name."""
        return {
            f"{package} {name}": text
            for module, paths in packages.items()
            for package in paths
            for name, text in go_sources.functions(self.folders[module] / package)
        }


def work_list(old: Sources, new: Sources, changelog: str = "") -> Iterator[Line]:
    """Yield the lines between two releases."""
    yield from _fields(old, new)
    concerned = set(FEATURE_GATES)
    for line, body in _functions(old, new):
        concerned.update(re.findall(r"features\.(\w+)", body))
        if line:
            yield line
    yield from _gates(old, new, concerned)
    for about, (module, packages) in OTHERS.items():
        for name, _, change in _changed(
            old.functions({module: packages}), new.functions({module: packages})
        ):
            yield Line(about, name, "look", change)
    yield from _cel_libraries(old, new)
    yield from _requirements(old, new)
    for number, text in _entries(changelog or _own_changelog(new)):
        yield Line("changelog", f"#{number}", "look", text)
    recorded = Path(__file__).parents[1] / f"recorded/data/{new.release}.jsonl.xz"
    state = "declared" if recorded.exists() else "missing"
    yield Line("recording", f"answers of {new.release}", state, "python -m cluster.recording")


def _types(sources: Sources) -> dict[str, dict[str, GoField]]:
    return {
        name: fields
        for module, packages in reversed(TYPES.items())
        for package in reversed(packages)
        for path in sorted((sources.folders[module] / package).glob("*types.go"))
        for name, fields in go_sources.structs(path.read_text(encoding="utf-8")).items()
    }


def _reachable(types: Mapping[str, Mapping[str, GoField]]) -> dict[tuple[str, str], GoField]:
    """Return the fields of CronJob and below, by type and name; those of embedded types at their holders."""
    found: dict[tuple[str, str], GoField] = {}
    waiting, seen = ["CronJob", "Job"], set()

    def visit(holder: str, kind: str) -> None:
        for name, field in types[kind].items():
            below = re.split(r"[\[\]*]", field.type)[-1]
            if name.startswith("+"):
                if below in types and below != "TypeMeta":
                    visit(holder, below)
                continue
            found[holder, name] = field
            if below in types and name not in ("status", "managedFields"):
                waiting.append(below)

    while waiting:
        if (kind := waiting.pop()) not in seen:
            seen.add(kind)
            visit(kind, kind)
    return found


def declared_fields() -> dict[tuple[str, str], Field]:
    """Return every declared field below a CronJob, by type and name."""
    return {
        (struct.name, name): field
        for struct in structs_below(*(struct for _, struct in kinds()))
        for name, field in struct.fields.items()
    }


def _fields(old: Sources, new: Sources) -> Iterator[Line]:
    before, after = _reachable(_types(old)), _reachable(_types(new))
    declared = declared_fields()
    marks: dict[str, list[str]] = {}
    for key, field in after.items():
        own, name = declared.get(key), ".".join(key)
        former = before.get(key)
        if former is None:
            yield Line("field", name, _state(own is not None), f"new: {field.type}")
            continue
        if former.type != field.type:
            yield Line("field", name, "look", f"{former.type} is now {field.type}")
        changed = set(former.tags) ^ set(field.tags)
        if published := changed & {"+required", "+optional"}:
            marks.setdefault(" ".join(sorted(published)), []).append(name)
        for tag in sorted(changed - published):
            how = "new" if tag in field.tags else "gone"
            yield Line("tag", f"{name} {tag}", _tag_state(tag, how, own), how)
    for key in before.keys() - after.keys():
        own = declared.get(key)
        gone = own is None or own.until == old.release
        yield Line("field", ".".join(key), _state(gone), "removed")
    for mark, names in marks.items():
        yield Line("published", f"{mark} changed", "look", ", ".join(names))
    yield from _values(old, new, after, declared)


def _tag_state(tag: str, how: str, own: Field | None) -> str:
    if tag.startswith("+featureGate=") and how == "new" and own is not None:
        return _state(own.gate == tag.partition("=")[2])
    if how == "new" and own is not None and tag.endswith("+k8s:minimum=0"):
        return _state(own.bounds is not None and own.bounds.minimum == 0)
    return "look"


def _values(
    old: Sources,
    new: Sources,
    fields: Mapping[tuple[str, str], GoField],
    declared: Mapping[tuple[str, str], Field],
) -> Iterator[Line]:
    for module, packages in TYPES.items():
        for package in packages:
            before = go_sources.constants(old.text(module, f"{package}/types.go"))
            after = go_sources.constants(new.text(module, f"{package}/types.go"))
            for kind, values in after.items():
                if kind == "string":
                    continue
                holders = [key for key, field in fields.items() if field.type.lstrip("*[]") == kind]
                for value in sorted(set(values) - set(before.get(kind, ()))) if holders else ():
                    known = any(
                        (own := declared.get(key)) and value in (*own.enum, *own.values)
                        for key in holders
                    )
                    named = ", ".join(map(".".join, holders))
                    yield Line("value", f"{kind} {value}", _state(known), f"of {named}")


def _functions(old: Sources, new: Sources) -> Iterator[tuple[Line | None, str]]:
    """Yield each function that may decide about a Job, with its line if it changed."""
    before, after = old.functions({**CALLED}), new.functions({**CALLED})
    roots = old.functions(ROOTS), new.functions(ROOTS)
    called = _called(roots[1], after)
    changes = {
        name: change
        for name, _, change in _changed(
            {**{name: before[name] for name in before if name in called or name not in after}, **roots[0]},
            {**{name: after[name] for name in called}, **roots[1]},
        )
    }  # fmt: skip
    of_old = _called(roots[0], before)
    for name, text in sorted({**roots[1], **{name: after[name] for name in called}}.items()):
        line = None
        if name in changes:
            line = Line(_about(name), name, "look", changes.pop(name))
        yield line, text
    for name, change in changes.items():
        if name in of_old or name in roots[0]:
            yield Line(_about(name), name, "look", change), ""


def _about(function: str) -> str:
    package, _, name = function.partition(" ")
    if "arning" in name:
        return "warning"
    return "defaulting" if "Defaults" in name else "validation" if package else "function"


def _called(roots: Mapping[str, str], others: Mapping[str, str]) -> set[str]:
    """Return the functions that are called from the roots, by the names that stand in them."""
    named: dict[str, list[str]] = {}
    for full in others:
        named.setdefault(full.rpartition(".")[2].rpartition(" ")[2], []).append(full)
    found: set[str] = set()
    waiting = list(roots.values())
    while waiting:
        for word in set(re.findall(r"\b\w+\b", waiting.pop())):
            for full in named.get(word, ()):
                if full not in found:
                    found.add(full)
                    waiting.append(others[full])
    return found


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield what is new, gone or different: its name, its text, and the change with the strings concerned."""
    for name in sorted({**before, **after}):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield name, new or "", "gone" if new is None else "new"
        elif re.sub(r"\s+", "", old) != re.sub(r"\s+", "", new):
            texts = [set(go_sources.STRING.findall(each)) for each in (old, new)]
            words = [f"-{each}" for each in sorted(texts[0] - texts[1])]
            words += [f"+{each}" for each in sorted(texts[1] - texts[0])]
            yield name, new, " ".join(["changed", *words[:WORDS]])


def _gates(old: Sources, new: Sources, concerned: set[str]) -> Iterator[Line]:
    before, after = (
        {
            name: stages
            for module, paths in GATES.items()
            for path in paths
            for name, stages in go_sources.gates(sources.text(module, path)).items()
        }
        for sources in (old, new)
    )
    for name in sorted(concerned & (before.keys() | after.keys())):
        known = FEATURE_GATES.get(name, ())
        if name not in after:
            removed = bool(known) and known[-1][:2] == (new.release, "removed")
            yield Line("gate", name, _state(removed), f"removed; was {_stage(before[name][-1])}")
        elif new_stages := set(after[name]) - set(before.get(name, ())):
            stages = [each for each in after[name] if each in new_stages]
            state = "look" if name not in FEATURE_GATES else _state(set(stages) <= set(known))
            yield Line("gate", name, state, "; ".join(map(_stage, stages)))


def _stage(stage: go_sources.Stage) -> str:
    release, name, default, locked = stage
    return f"{name} since {release}, {'on' if default else 'off'}{', locked' if locked else ''}"


def _cel_libraries(old: Sources, new: Sources) -> Iterator[Line]:
    path = "pkg/cel/environment/base.go"
    before, after = (
        go_sources.libraries(each.text("k8s.io/apiserver", path)) for each in (old, new)
    )
    known = {each.since for each in libraries.LIBRARIES}
    for release in sorted(after.keys() - before.keys()):
        # In a new object an API server accepts what the release before it knows, too.
        usable = f"1.{minor(release) + 1}"
        yield Line(
            "CEL", f"library since {release}", _state(usable in known), f"usable from {usable} on"
        )


def _requirements(old: Sources, new: Sources) -> Iterator[Line]:
    for module in LIBRARIES:
        versions = []
        for each in (old, new):
            found = re.findall(
                rf"{re.escape(module)} (v\S+)",
                each.text("k8s.io/apiserver", "go.mod") + each.text("k8s.io/kubernetes", "go.mod"),
            )
            versions.append(found[0] if found else "none")
        if versions[0] != versions[1]:
            yield Line("library", module, "look", " to ".join(versions))


def _own_changelog(sources: Sources) -> str:
    return sources.text("k8s.io/kubernetes", f"CHANGELOG/CHANGELOG-{sources.release}.md")


def _entries(changelog: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers and the beginnings of the entries that may concern Jobs, each once."""
    seen = set()
    for entry in re.findall(r"^ ?- (.+(?:\n  .*)*)", changelog, re.M):
        pull = re.search(r"\(\[#(\d+)\]", entry)
        if pull and pull[1] not in seen and CONCERNS.search(entry.partition("([#")[0]):
            seen.add(pull[1])
            yield pull[1], " ".join(entry.partition("([#")[0].split())[:160]


def _state(declared: bool) -> str:
    return "declared" if declared else "missing"


def write_cases(path: Path, lines: list[Line], sources: Sources) -> int:
    """Write random creates about each field that changed, or whose gate did; return their number."""
    from cluster.random_manifests import Generator

    generator = Generator(json.loads(sources.text("k8s.io/kubernetes", PUBLISHED)))
    changed_gates = {line.key for line in lines if line.about == "gate"}
    fields = {
        tuple(line.key.split()[0].split(".")) for line in lines if line.about in ("field", "tag")
    }
    for line in lines:
        if line.about == "value":
            fields |= {tuple(each.split(".")) for each in line.detail[3:].split(", ")}
    fields |= {key for key, each in declared_fields().items() if each.gate in changed_gates}
    names = {name for _, name in fields}
    paths = [each for each in generator.paths["Job"] if each[-1] in names and "status" not in each]
    made = (
        generator.object(at * CASES + number, [each])
        for at, each in enumerate(paths)
        for number in range(CASES)
    )
    lines_of_file = [json.dumps({"object": each}) + "\n" for each in made]
    path.write_text("".join(lines_of_file), encoding="utf-8")
    return len(lines_of_file)


def _notes(release: str) -> dict[str, Any]:
    path = NOTES / f"{release}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def report(old: Sources, new: Sources, lines: list[Line]) -> Iterator[str]:
    """Yield the text of the work list."""
    for module in MODULES:
        yield f"{module} {old.versions[module]} to {new.versions[module]}"
    notes = _notes(new.release)
    counts: dict[str, int] = {}
    for line in lines:
        patterns = notes.get(line.about, {}).items()
        note = next((text for each, text in patterns if fnmatchcase(line.key, each)), "")
        state = "noted" if note else line.state
        counts[state] = counts.get(state, 0) + 1
        yield f"{state:8} {line.about:10} {line.key}: {line.detail}".rstrip(": ")
        if note:
            yield f"{'':20}{note}"
    yield f"{len(lines)} lines: " + ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))


def newer_version() -> str:
    """Return the newest served version of k8s.io/api; empty if it belongs to what is known here."""
    newest = go_sources.versions("k8s.io/api")[-1]
    release = "1." + newest.split(".")[1]
    tag = "v1." + newest.partition(".")[2]
    known = minor(release) <= minor(RELEASES[-1]) if "-" not in newest else tag.endswith(PREVIEW)
    return "" if known else tag


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/cluster/new_release", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("release", nargs="?", metavar="RELEASE", help="such as 1.38")
    parser.add_argument("--changelog", type=Path, metavar="FILE", help="of the release")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="to write requests to")
    parser.add_argument("--newest", action="store_true", help="print an unknown newest version")
    arguments = parser.parse_args()
    try:
        if arguments.newest:
            print(newer_version())
            return 0
        release = arguments.release or RELEASES[-1]
        old = Sources.served(f"1.{minor(release) - 1}")
        new = Sources.served(release)
        changelog = arguments.changelog.read_text(encoding="utf-8") if arguments.changelog else ""
        lines = list(work_list(old, new, changelog))
        print("\n".join(report(old, new, lines)))
        if arguments.cases:
            print(f"{write_cases(arguments.cases, lines, new)} cases in {arguments.cases}")
    except (OSError, LookupError, subprocess.CalledProcessError) as error:
        print(f"error: {getattr(error, 'stderr', '') or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
