"""``jobsworth explain``: the consequences of each failure of a Job's Pods."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from jobsworth.cli.command import Command, InputError, UsageError
from jobsworth.cli.configuration.resolved_settings import STDIN, Configurations, Overrides
from jobsworth.cli.existing_objects import ExistingObjects, describe
from jobsworth.cli.inputs.repository_root import manifests_in
from jobsworth.cli.options import Options, arguments, choice, flag, nested, text, words
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions
from jobsworth.controller.pods import Termination, read_pod
from jobsworth.explanation.explained_job import SETTINGS, explained_job
from jobsworth.explanation.explanation import (
    ExplainedObject,
    Explanation,
    FailureExplanation,
    SourceLines,
    explain,
    explained_rules,
)
from jobsworth.explanation.failure_causes import STANDING_CONDITIONS
from jobsworth.explanation.failure_outcome import failed_pod
from jobsworth.explanation.pod_document import pod_problem
from jobsworth.explanation.rule_trace import trace_pod, trace_restart
from jobsworth.manifests import ManifestError, expand_lists, read_file
from jobsworth.printable import printable
from jobsworth.reports.result import INVALID, LocatedFinding, Result
from jobsworth.validation.engine import UnknownKind, engine_for, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    from jobsworth.api.api_server import ApiServer
    from jobsworth.explanation.explained_job import ExplainedJob
    from jobsworth.explanation.rule_trace import RuleTrace
    from jobsworth.manifests import Document

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2

_MOST_CODE = 2**31
_MOST_LINES = 12


class FailureOptions(Options):
    """Options for the failures to explain; without any, all of them."""

    exit_code = words(
        metavar="[CONTAINER=]CODE",
        help="Explain this exit code: in the named container, or in each container. Several containers "
        "fail together in one Pod.",
    )
    condition = words(
        metavar="TYPE[=STATUS]",
        help="Give the failed Pod this condition, such as DisruptionTarget; the status is True by default.",
    )
    pod = text(
        metavar="FILE",
        help="Explain the Pods in this file, as kubectl get pod -o yaml prints them, or - for "
        "standard input.",
    )


class ExplainJobOptions(Options):
    """The options of ``jobsworth explain``."""

    server = nested(ServerOptions)
    failures = nested(FailureOptions)
    table = flag(help="Print only the decision table, without settings and rules.")
    against = text(
        metavar="OLD",
        help="Compare with the Jobs of the same kind, namespace and name in this file or folder.",
    )
    git_ref = text(
        metavar="REF",
        help="Compare the Jobs that differ from this git commit with their versions there; without JOB, "
        "in the whole repository.",
    )
    output = choice(
        short="-o",
        default="text",
        choices=("text", "markdown", "json"),
        help="Text, Markdown (for a pull request), or JSON.",
    )
    output_file = text(
        metavar="FILE", help="Write the explanation to this file instead of standard output."
    )
    config = text(metavar="FILE", help="Use this configuration for every file.")
    isolated = flag(help="Use no configuration.")
    paths = arguments("[JOB...]")


@dataclass(slots=True)
class _Run:
    """A run of the command: its input, and its exit code so far."""

    configurations: Configurations
    code: int = EXIT_DONE
    explanations: list[Explanation | FailureExplanation] = field(default_factory=list)

    def fail(self, code: int, *lines: str) -> None:
        for line in lines:
            print(line, file=sys.stderr)
        self.code = max(self.code, code)


@dataclass(frozen=True, slots=True)
class _Read:
    """A valid Job or CronJob that was read."""

    document: Document
    server: ApiServer
    job: ExplainedJob
    about: ExplainedObject
    rules_path: str

    def lines(self, index: int) -> SourceLines | None:
        """Return the lines of a rule of the failure policy."""
        path = f"{self.rules_path}[{index}]"
        first = self.document.position(path).line
        rule = self.job.rules[index]
        last = max(self.document.position(f"{path}{leaf}").line for leaf in _leaves(rule))
        shown = range(first, min(last, first + _MOST_LINES) + 1)
        return SourceLines(first, last, tuple(map(self.document.source_line, shown)))


def run(options: ExplainJobOptions) -> int:
    """Explain Jobs, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, a configuration, or a Pod.
    """
    _check(options)
    pods = [] if options.failures.pod is None else _pods(options.failures.pod)
    server = options.server
    overrides = Overrides(
        release=server.kubernetes_version,
        gates=server.feature_gates,
        allow_privileged=server.privileged,
    )
    running = _Run(Configurations(overrides, file=options.config, isolated=options.isolated))
    paths, existing = _compared(running, options)
    read = list(_jobs(running, paths))
    if not read and running.code == EXIT_DONE and options.git_ref is None:
        raise InputError("no Job or CronJob found in these files")
    for each in read:
        before = _before(running, each, existing, alone=len(read) == 1)
        if options.failures.exit_code or options.failures.condition or pods:
            traces = tuple(_traces(each.job, options.failures, pods))
            rules = explained_rules(each.job, each.lines)
            running.explanations.append(FailureExplanation(each.about, rules, traces))
        else:
            running.explanations.append(explain(each.about, each.job, each.lines, before))
    if options.git_ref is not None:
        running.explanations.sort(key=lambda each: not _differs(each))
    with _output(options.output_file) as out:
        for line in _rendered(running.explanations, options):
            print(line, file=out)
    if options.git_ref is not None and not read:
        print(printable(f"no Job or CronJob differs from {options.git_ref}"), file=sys.stderr)
    return running.code


def _check(options: ExplainJobOptions) -> None:
    if not options.paths and options.git_ref is None:
        raise UsageError(
            "Missing argument 'JOB...': name a file or folder, or - for standard input"
        )
    failures = options.failures
    single = bool(failures.exit_code or failures.condition)
    if single and failures.pod is not None:
        raise UsageError("--pod excludes --exit-code and --condition: the Pod has its own")
    if failures.pod == STDIN and STDIN in options.paths:
        raise UsageError("--pod: only one of the Job and the Pod can come from standard input")
    compared = options.against is not None or options.git_ref is not None
    if options.against is not None and options.git_ref is not None:
        raise UsageError("--git-ref and --against exclude each other: use one of them")
    if compared and (single or failures.pod is not None):
        raise UsageError("--against and --git-ref compare whole tables: omit the single failure")
    if options.table and (single or failures.pod is not None):
        raise UsageError("--table prints all failures: omit it, or the single failure")


def _compared(
    running: _Run, options: ExplainJobOptions
) -> tuple[Sequence[str], ExistingObjects | None]:
    """Return the files to explain, and the objects to compare them with."""
    if options.git_ref is not None:
        from jobsworth.cli.changed_files import changed_manifests

        return changed_manifests(options.git_ref, options.paths, running.configurations)
    if options.against is None:
        return options.paths, None
    old = {_key(each): each.document.value for each in _jobs(running, [options.against])}
    return options.paths, ExistingObjects(old)


def _key(read: _Read) -> tuple[str, str, str]:
    return read.about.kind, read.about.namespace or "default", read.about.name


def _before(
    running: _Run, read: _Read, existing: ExistingObjects | None, *, alone: bool
) -> ExplainedJob | None:
    """Return the Job to compare with: that of the same name, or the other of two files with one Job each."""
    if existing is None:
        return None
    value = existing.old(read.document)
    if value is None and alone and len(existing.anywhere) == 1 and not existing.in_file:
        (value,) = existing.anywhere.values()
    if value is None:
        return None
    engine = engine_for(read.server)
    return explained_job(engine.created_job(engine.decode_object(value)))


def _differs(explanation: Explanation | FailureExplanation) -> bool:
    return not isinstance(explanation, Explanation) or (
        explanation.before is None or explanation.changed
    )


def _jobs(running: _Run, paths: Sequence[str]) -> Iterator[_Read]:
    """Read the valid Jobs and CronJobs under some paths; report the others."""
    for path in manifests_in(paths):
        if isinstance(path, ManifestError):
            running.fail(EXIT_UNREADABLE, printable(f"error: {path}"))
            continue
        server = running.configurations.of(path).server
        for document in expand_lists(read_file(path)):
            if document.error is not None:
                running.fail(EXIT_UNREADABLE, printable(f"error: {document.error}"))
                continue
            try:
                read = _read(running, document, server)
            except UnknownKind:
                continue
            if read is not None:
                yield read


def _read(running: _Run, document: Document, server: ApiServer) -> _Read | None:
    """Return a Job, or None after its errors were reported.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob.
    """
    engine, value = engine_for(server), document.value
    findings = engine.validate(value)
    kind, namespace, name = describe(value)
    result = Result(
        file=document.file,
        document=document.index,
        item=document.item,
        kind=kind,
        namespace=namespace,
        name=name,
        status=INVALID,
        findings=[
            LocatedFinding(finding, place.line, place.column, document.source_line(place.line))
            for finding in findings
            for place in (document.position(finding.field),)
        ],
    )
    if findings:
        from jobsworth.reports.text import render

        color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        running.fail(EXIT_DONE, *render(result, color=color))
    if any(finding.severity == "error" for finding in findings):
        running.fail(
            EXIT_INVALID,
            printable(f"{document.file}: not explained, because the API server rejects it"),
        )
        return None
    cron_job = kind_of(value).name != "Job"
    created = engine.created_job(engine.decode_object(value))
    job = explained_job(created, (name or "") if cron_job else "")
    inner = "jobTemplate.spec." if cron_job else ""
    return _Read(
        document,
        server,
        job,
        ExplainedObject(
            kind or "",
            namespace or "",
            name or "",
            document.file,
            document.position("").line,
            server.release,
        ),
        f"spec.{inner}podFailurePolicy.rules",
    )


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of a value and of all that is in it."""
    yield path
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")


def _traces(
    job: ExplainedJob, failures: FailureOptions, pods: Sequence[dict[str, Any]]
) -> Iterator[RuleTrace]:
    for value in pods:
        pod = read_pod(value, SETTINGS)
        others = {
            each.container for each in pod.terminations if job.container(each.container) is None
        }
        if others:
            note = f"note: Pod {pod.name} has containers that the Job does not have"
            print(
                printable(f"{note}: {', '.join(sorted(others))}. Is it another Job's Pod?"),
                file=sys.stderr,
            )
        yield trace_pod(job, pod)
    if pods:
        return
    written = [_condition(each) for each in failures.condition]
    conditions = (*written, *STANDING_CONDITIONS)
    given = f" and the Pod has {', '.join(written)}" if written else ""
    codes = [_exit_code(each) for each in failures.exit_code]
    together = [(name, code) for name, code in codes if name is not None]
    for name, _ in together:
        if job.container(name) is None:
            names = ", ".join(each.name for each in job.containers)
            raise UsageError(f'--exit-code: the Job has no container "{name}"; it has {names}')
    if together and len(together) < len(codes):
        raise UsageError("--exit-code: name the container of each exit code, or of none")
    cases = [together] if together else [[(None, code)] for _, code in codes]
    for case in cases or [[]]:
        yield from _cases(job, case, conditions, given)


def _cases(
    job: ExplainedJob,
    case: Sequence[tuple[str | None, int]],
    conditions: tuple[str, ...],
    given: str,
) -> Iterator[RuleTrace]:
    """Yield the traces of a failure; for an unnamed container, one for all with the same decision."""
    if case and case[0][0] is None:
        code = case[0][1]
        found: dict[object, tuple[RuleTrace, list[str]]] = {}
        for container in job.containers:
            trace = _trace(job, [(container.name, code)], conditions, given)
            key = (trace.outcome, [(step.matches, step.position) for step in trace.steps])
            found.setdefault(str(key), (trace, []))[1].append(container.name)
        for trace, names in found.values():
            verb = f"exits with {code}{given}"
            yield replace(trace, failure=f"container {' or '.join(names)} {verb}")
        return
    yield _trace(job, [(name or "", code) for name, code in case], conditions, given)


def _trace(
    job: ExplainedJob,
    ended: Sequence[tuple[str, int]],
    conditions: tuple[str, ...],
    given: str,
) -> RuleTrace:
    if ended and all(code == 0 for _, code in ended) and not given:
        raise UsageError("--exit-code: a Pod whose containers exit with 0 has succeeded")
    words_ = " and ".join(f"container {name} exits with {code}" for name, code in ended)
    for name, code in ended:
        container = job.container(name)
        if container is not None and container.restarts(code) and len(ended) == 1 and not given:
            return trace_restart(job, name, code)
    terminations = tuple(Termination(name, code, "Error") for name, code in ended if code)
    text_ = f"{words_}{given}" if words_ else given.removeprefix(" and ")
    return trace_pod(job, failed_pod(job.job, terminations, conditions), text_)


def _exit_code(text: str) -> tuple[str | None, int]:
    name, equals, code = text.rpartition("=")
    sign, digits = (-1, code[1:]) if code.startswith("-") else (1, code)
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 10 else None
    if number is None or number >= _MOST_CODE or (equals and not name):
        raise UsageError(f'--exit-code: "{text}" is not of the form CODE or CONTAINER=CODE')
    return (name if equals else None), sign * number


def _condition(text: str) -> str:
    kind, _, status = text.partition("=")
    status = status or "True"
    if not kind or status not in ("True", "False", "Unknown"):
        raise UsageError(
            f'--condition: "{text}" is not of the form TYPE or TYPE=STATUS; the status is True, False '
            "or Unknown"
        )
    return f"{kind}={status}"


def _pods(path: str) -> list[dict[str, Any]]:
    """Read the Pods of a file.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    found = []
    for document in expand_lists(read_file(path)):
        if document.error is not None:
            raise InputError(f"--pod: {document.error}")
        problem = pod_problem(document.value)
        if problem is not None:
            place = document.position("")
            raise InputError(f"--pod: {document.file}:{place.line}: {problem}")
        found.append(cast("dict[str, Any]", document.value))
    if not found:
        raise InputError(f"--pod: {path} holds no Pod")
    return found


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    if path is None:
        as_utf8(sys.stdout)
        yield sys.stdout
        return
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            yield file
    except OSError as error:
        raise UsageError(f"--output-file: cannot write {path}: {error.strerror}") from None


def _rendered(
    explanations: Sequence[Explanation | FailureExplanation], options: ExplainJobOptions
) -> Iterator[str]:
    if options.output == "json":
        from jobsworth.reports import explanation_json

        yield explanation_json.render(explanations)
        return
    if options.output == "markdown":
        from jobsworth.reports import explanation_markdown as report
    else:
        from jobsworth.reports import explanation_text as report  # type: ignore[no-redef]
    for each in explanations:
        if isinstance(each, Explanation):
            yield from report.render(each, only_table=options.table)
        else:
            yield from report.render_failures(each)


COMMAND = Command(
    "explain",
    help="""Explain what happens to a Job when its Pods fail.

Without options: the Job's limits, the rules of its failure policy, and the decision table over all exit
codes, conditions and causes. With --exit-code, --condition or --pod: the rule that matches this failure, why
earlier rules do not, and the consequences. With --against or --git-ref: the behavior before and after,
changes first.

JOB is a file, a folder, or - for standard input, with Jobs or CronJobs. The decisions are those of the Job
controller. Exit codes: 0, 1 if the API server rejects a Job, 2 if a file is unreadable or the command line
is wrong.""",
    epilog="""\b
Examples:
  jobsworth explain job.yaml
  jobsworth explain job.yaml --exit-code 42
  jobsworth explain job.yaml --exit-code main=1,proxy=137 --condition DisruptionTarget
  kubectl get pod train-x7k2p -o yaml | jobsworth explain job.yaml --pod -
  jobsworth explain --table --output markdown manifests/
  jobsworth explain --against old.yaml new.yaml
  jobsworth explain --git-ref origin/main --output markdown   # for a pull request
""",
    options=ExplainJobOptions,
    run=run,
)
