"""``jobsworth policy test``: run the test cases of policies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, group, option, words
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.documents.declared import Report, report_text
from jobsworth.files.policies.policy_cases import CaseOutcome
from jobsworth.policy.policy_set import PolicySet
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError
from jobsworth.wording import count

EXIT_PASSED, EXIT_FAILED, EXIT_UNREADABLE = 0, 1, 2


class CaseOptions(Options):
    """The options of ``jobsworth policy test``."""

    server = group(ServerOptions)
    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="Test these policies instead of the ones next to the cases.",
    )
    name: str | None = option(
        "--name", metavar="TEXT", help="Run only the cases whose names contain this text."
    )
    verbose: bool = flag("--verbose", "-v", help="Also list the cases that pass.")
    output: str = option(
        "--output",
        "-o",
        default="text",
        type=click.Choice(("text", "json", "junit")),
        help="Report format: text, JSON, or JUnit XML (test reports).",
    )
    paths: tuple[str, ...] = arguments("paths", "[PATH...]")


def run(options: CaseOptions) -> int:
    """Run test cases, report their outcomes, and return the exit code.

    Raises:
        UsageError: cases or policies are unreadable or missing.
    """
    cases = PolicyTestInput(
        paths=options.paths or (os.curdir,),
        name=options.name or "",
        policies=options.policy,
        server=options.server,
    )
    outcomes = list(_outcomes(cases))
    if not outcomes:
        raise UsageError(f"no case name contains {options.name!r}")
    if options.output != "text":
        as_utf8(sys.stdout)
    if options.output == "json":
        _print_json(outcomes)
    elif options.output == "junit":
        _print_junit(outcomes)
    else:
        _print_text(outcomes, verbose=options.verbose)
    return EXIT_FAILED if any(outcome.failures for outcome in outcomes) else EXIT_PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTestInput:
    """The test cases to run.

    Attributes:
        paths: files and folders.
        name: a text that the names of the cases contain.
        policies: the policies to test instead of the ones next to the cases.
        server: overrides the release that a case names.
    """

    paths: tuple[str, ...]
    name: str
    policies: tuple[str, ...]
    server: ServerOptions


def _outcomes(cases: PolicyTestInput) -> Iterator[CaseOutcome]:
    from jobsworth.files.policies.policy_cases import read_case_files, run_case
    from jobsworth.files.policies.policy_files import load_policies

    loaded: dict[tuple[str, ...], PolicySet] = {}
    for file in read_case_files(cases.paths):
        paths = cases.policies or file.policies
        if paths not in loaded:
            loaded[paths] = load_policies(paths)
        server = server_of(cases.server, file.release)
        for case in file.cases:
            if cases.name in case.name:
                yield run_case(file.file, case, loaded[paths], server)


def _print_text(outcomes: Sequence[CaseOutcome], *, verbose: bool) -> None:
    by_file: dict[str, list[CaseOutcome]] = {}
    for outcome in outcomes:
        by_file.setdefault(outcome.file, []).append(outcome)
    for file, several in by_file.items():
        failed = [outcome for outcome in several if outcome.failures]
        print(f"{'FAIL' if failed else 'ok  '} {printable(file)} ({count(len(several), 'case')})")
        for outcome in several:
            if outcome.failures:
                print(printable(f"  FAIL {file}:{outcome.case.line}: {outcome.case.name}"))
                for failure in outcome.failures:
                    print("\n".join(f"       {line}" for line in _lines(failure)))
            elif verbose:
                print(f"  ok   {printable(outcome.case.name)}")
            if outcome.unmatched and (outcome.failures or verbose):
                print(printable(f"       no policy matches: {'; '.join(outcome.unmatched)}"))
    failures = sum(bool(outcome.failures) for outcome in outcomes)
    unmatched = sum(bool(outcome.unmatched) for outcome in outcomes)
    note = f"; no policy matches {count(unmatched, 'case')} (see --verbose)" if unmatched else ""
    print(f"{len(outcomes) - failures} passed, {failures} failed{note}", file=sys.stderr)


class CaseReport(Report):
    """The outcome of a case."""

    file: str
    line: int
    name: str
    passed: bool
    failures: list[str]


class CaseCounts(Report):
    """The number of cases by outcome."""

    passed: int
    failed: int


class CasesReport(Report):
    """The outcomes of all cases."""

    cases: list[CaseReport]
    summary: CaseCounts


def _print_json(outcomes: Sequence[CaseOutcome]) -> None:
    cases = [
        CaseReport(
            file=outcome.file,
            line=outcome.case.line,
            name=outcome.case.name,
            passed=not outcome.failures,
            failures=list(outcome.failures),
        )
        for outcome in outcomes
    ]
    failed = sum(not case.passed for case in cases)
    summary = CaseCounts(passed=len(cases) - failed, failed=failed)
    print(report_text(CasesReport(cases=cases, summary=summary)))


def _lines(failure: str) -> list[str]:
    return [printable(line) for line in failure.split("\n")]


def _print_junit(outcomes: Sequence[CaseOutcome]) -> None:
    from xml.etree import ElementTree

    root = ElementTree.Element("testsuites", name="jobsworth policy test")
    suites: dict[str, ElementTree.Element] = {}
    for outcome in outcomes:
        file, name = printable(outcome.file), printable(outcome.case.name)
        suite = suites.get(file)
        if suite is None:
            suite = suites[file] = ElementTree.SubElement(
                root, "testsuite", name=file, tests="0", failures="0"
            )
        _count(suite, "tests")
        case = ElementTree.SubElement(suite, "testcase", classname=file, name=name)
        if outcome.failures:
            _count(suite, "failures")
            lines = [line for failure in outcome.failures for line in _lines(failure)]
            failure = ElementTree.SubElement(case, "failure", message=lines[0])
            failure.text = "\n".join(lines)
    ElementTree.indent(root)
    print('<?xml version="1.0" encoding="utf-8"?>')
    print(ElementTree.tostring(root, encoding="unicode"))


def _count(suite: Any, name: str) -> None:
    suite.set(name, str(int(suite.get(name)) + 1))


COMMAND = Command(
    "policy test",
    help="""Run the test cases of policies: JobPolicyTest documents in files *_test.yaml.

PATH is a file or folder; by default the current folder. A case has a manifest and the expected outcome:
allowed or denied, the warnings, and the applied defaults. Exit codes: 0 if every case passes, 1 if one
fails, 2 if a file is unreadable.""",
    epilog="""\b
Examples:
  jobsworth policy test
  jobsworth policy test policies/ --verbose
  jobsworth policy test policies/spot-nodes_test.yaml --name "disruption"
""",
    options=CaseOptions,
    run=run,
)
