"""The functions that the page of the playground calls: text in, JSON out.

They run in a web worker, in Python compiled to WebAssembly. Everything they do, the command line does too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import RELEASES
from jobsworth.documents.declared import json_value
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.fixing.autofix_loop import autofix
from jobsworth.findings.located_finding import token_width
from jobsworth.manifests import expand_lists, read_text
from jobsworth.reports.findings_report import finding_report
from jobsworth.usage_error import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result

NAME = "job.yaml"
MAX_TEXT = 200_000
"""The longest text in characters; larger ones belong to the command line."""
MAX_OBJECTS = 20
"""The largest number of objects that are explained."""
KINDS = ("Job", "CronJob", "JobSet")


def validate(text: str, release: str) -> str:
    """Return the verdict, the findings and their fixes, as the command line reports them."""
    results = _evaluator(release, propose_changes=True).text(NAME, text.encode())
    documents = [
        {"kind": result.kind, "name": result.shown_name, "status": result.status}
        for result in results
    ]
    findings = [_finding(result, located) for result in results for located in result.findings]
    return json.dumps({"documents": documents, "findings": findings})


def fix(text: str, release: str, unsafe: bool, infos: bool) -> str:
    """Return the text after the fixes of all findings that are shown, and what each fix did, or why it was not applied.

    Args:
        unsafe: apply unsafe fixes too.
        infos: info findings are shown.
    """

    def shown(result: Result, located: LocatedFinding) -> bool:
        return result.shows(located.finding, infos=infos)

    fixed = autofix(_evaluator(release), NAME, text.encode(), unsafe=unsafe, reported=shown)
    attempts = [attempt.sentence(NAME) for result in fixed.results for attempt in result.attempts]
    return json.dumps({"text": fixed.data.decode(), "attempts": attempts})


def explain(text: str, release: str) -> str:
    """Return the explanation of each valid Job, as Markdown tables in parts."""

    def explained(value: dict[str, Any]) -> dict[str, Any]:
        from jobsworth.documents.declared import json_value
        from jobsworth.library.explanations import explain as explain_job
        from jobsworth.reports.explanation_report import explanation_report

        found = explain_job(value, kubernetes_version=release)
        (job,) = json_value(explanation_report([found]))["jobs"]
        return {"job": job}

    return json.dumps(list(_each_object(text, explained)))


def simulate(text: str, release: str, seed: int, question: str, time: str) -> str:
    """Return a simulated run of each valid object: its outcome, what happened, and a picture.

    Args:
        question: the name of a parameter of :func:`jobsworth.simulate`, such as ``drain``; empty for none.
        time: its value.
    """

    def simulated(value: dict[str, Any]) -> dict[str, Any]:
        from jobsworth.library.simulations import simulate as simulate_job
        from jobsworth.reports.timelines.timeline_svg import timeline_svg
        from jobsworth.reports.timelines.timeline_text import run_lines

        asked: dict[str, Any] = {question: time} if question else {}
        if question == "image_typo":
            asked = {"image_typo": True}
        found = simulate_job(value, seed=seed, kubernetes_version=release, **asked)
        record = found.first_run
        title = f"{record.kind} {record.name}"
        return {"svg": timeline_svg([(title, record)]), "lines": list(run_lines(record))}

    return json.dumps(list(_each_object(text, simulated)))


def releases() -> str:
    """Return the releases of Kubernetes, the newest first."""
    return json.dumps(list(reversed(RELEASES)))


def _each_object(
    text: str, work: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield what a function returns for each object from which Jobs are made, or why it cannot."""
    from jobsworth.runs.simulation.run_limits import SimulationTooLarge

    objects = [
        document.value
        for document in expand_lists(read_text(text.encode(), NAME))
        if document.error is None
        and isinstance(document.value, dict)
        and document.value.get("kind") in KINDS
    ]
    for value in objects[:MAX_OBJECTS]:
        metadata = value.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        shown = {"kind": value["kind"], "name": name if isinstance(name, str) else ""}
        try:
            yield {**shown, **work(value)}
        except (ValueError, InputError, SimulationTooLarge) as error:
            yield {**shown, "error": str(error)}


def _evaluator(release: str, *, propose_changes: bool = False) -> FileEvaluator:
    configurations = Configurations(Settings(release=release), isolated=True)
    return FileEvaluator(configurations, options=EvaluationOptions(propose_changes=propose_changes))


def _finding(result: Result, located: LocatedFinding) -> dict[str, Any]:
    finding = located.finding
    column = located.column or 1
    described: dict[str, Any] = {
        **json_value(finding_report(located)),
        "line": located.line or 1,
        "column": column,
        "width": max(1, token_width(located.excerpt, column - 1)) if located.excerpt else 1,
        "object": result.shown_name,
        "further": located.further,
        "shown": result.shows(finding, infos=False),
    }
    if finding.fix is not None:
        described["fix"] = {
            "title": finding.fix.title,
            "safe": finding.fix.safe,
            "changes": [
                {
                    "start": change.start,
                    "end": change.end,
                    "endColumn": change.end_column,
                    "text": change.text,
                }
                for change in located.changes
            ],
        }
    return described
