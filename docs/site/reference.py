"""Pages of reference that are made from the code: commands and options, metrics, documents in JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jobsworth.cli.click_application import COMMANDS, declared_command
from jobsworth.controller.well_known_names import METRICS_PREFIX
from jobsworth.reconciler.prometheus_metrics import COUNTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jobsworth.cli.command import Command

ROOT = Path(__file__).parents[2]
DOCUMENTS = {
    "report": "The report of `jobsworth validate --output json`",
    "why": "The report of `jobsworth why --output json`",
    "health": "The report of `jobsworth health --output json`",
    "jobpolicy": "The kind JobPolicy",
    "jobscenario": "The kind JobScenario of `jobsworth simulate`",
}
MAX_DEPTH = 6


def files() -> dict[str, str]:
    """Return the text of each page of the folder reference, by its name."""
    pages = {f"reference/cli/{words.replace(' ', '-')}.md": _command(words) for words in COMMANDS}
    pages["reference/cli/index.md"] = _commands()
    pages["reference/metrics.md"] = _metrics()
    for name, title in DOCUMENTS.items():
        pages[f"reference/{name}.md"] = _document(name, title)
    return pages


def _commands() -> str:
    rows = "\n".join(
        f"| [`jobsworth {words}`]({words.replace(' ', '-')}.md) | {_first(declared_command(words).help or '')} |"
        for words in COMMANDS
    )
    return f"# Commands\n\n`jobsworth COMMAND --help` prints the same.\n\n| command | |\n| --- | --- |\n{rows}\n"


def _command(words: str) -> str:
    command = declared_command(words)
    sections: dict[str, list[click.Option]] = {}
    for option in command.options:
        sections.setdefault(command.headings.get(option.name, ""), []).append(option)
    rest = sections.pop("", [])
    metavar = "" if command.argument is None else command.argument.metavar or ""
    parts = [
        f"# jobsworth {words}",
        f"```\njobsworth {words} [OPTIONS] {metavar}".rstrip() + "\n```",
        _prose(command.help or ""),
        *(f"## {heading}\n\n{_options(options)}" for heading, options in sections.items()),
    ]
    if rest:
        parts.append(f"## {'Other options' if sections else 'Options'}\n\n{_options(rest)}")
    examples = _examples(command)
    if examples:
        parts.append(f"## Examples\n\n```\n{examples}\n```")
    return "\n\n".join(parts) + "\n"


def _options(options: Iterable[click.Option]) -> str:
    lines = []
    for option in options:
        names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len))
        choices = option.type.choices if isinstance(option.type, click.Choice) else ()
        value = "" if option.is_flag else f" `{option.metavar or '|'.join(choices) or 'TEXT'}`"
        default = getattr(option, "unset", option.to_info_dict()["default"])
        repeated = " May be repeated." if option.multiple else ""
        shown = ""
        if not option.is_flag and default not in (None, ()):
            shown = f" Default: `{_shown(default)}`."
        lines.append(f"{names}{value}\n:   {_text(option.help or '')}{shown}{repeated}")
    return "\n\n".join(lines)


def _shown(default: object) -> str:
    return ",".join(default) if isinstance(default, tuple) else str(default)


def _examples(command: Command) -> str:
    text = (command.epilog or "").replace("\b", "").strip()
    return "\n".join(
        line[2:] if line.startswith("  ") else line for line in text.splitlines()
    ).removeprefix("Examples:\n")


def _prose(text: str) -> str:
    """Return help as Markdown; a block after ``\\b`` keeps its lines, as click prints it."""
    paragraphs = []
    for part in text.split("\n\n"):
        if part.lstrip().startswith("\b"):
            paragraphs.append("```\n" + part.replace("\b", "").strip("\n") + "\n```")
        else:
            paragraphs.append(_text(" ".join(part.split())))
    return "\n\n".join(paragraphs)


def _first(text: str) -> str:
    return _text(text.partition("\n")[0])


def _text(text: str) -> str:
    """Return text whose marks of Markdown and HTML are literal."""
    for mark in "\\*_<[":
        text = text.replace(mark, f"\\{mark}")
    return text


def _metrics() -> str:
    parts = ["# Metrics", "In the format of Prometheus, of each process that serves them."]
    for title, page in (
        ("The webhook", "webhook.md"),
        ("The audit", "audit.md"),
        ("Health", "health.md"),
    ):
        parts.append(
            f"## {title}\n\nSee [{title.lower()}](../{page}#metrics).\n\n{_table_of(page)}"
        )
    rows = "\n".join(
        f"| `{METRICS_PREFIX}{name}` | {', '.join(f'`{label}`' for label in labels)} | {_text(text)} |"
        for name, (labels, text) in COUNTERS.items()
    )
    parts.append(
        "## The Job controller\n\nThose of the built-in controller, and some about policies; see "
        "[the Job controller](../controller.md). Also `job_controller_job_sync_duration_seconds`, `workqueue_depth`, "
        "`workqueue_adds_total`, `workqueue_retries_total`, `rest_client_requests_total`, `leader_election_master_status` and "
        f"`jobsworth_file_load_success`.\n\n| metric | labels | |\n| --- | --- | --- |\n{rows}"
    )
    return "\n\n".join(parts) + "\n"


def _table_of(page: str) -> str:
    """Return the table below the heading "Metrics" of a page of docs/."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = re.split("^#+ Metrics$", text, flags=re.MULTILINE)[1]
    rows = re.findall(r"^\|.*\|$", section.split("\n#")[0], re.MULTILINE)
    return "\n".join(rows).replace("](#", f"](../{page}#")


def _document(name: str, title: str) -> str:
    schema = json.loads((ROOT / f"schemas/{name}.json").read_text(encoding="utf-8"))
    lines = list(_fields(schema, schema, "", 0))
    return (
        f"# {title}\n\n{_text(schema.get('description', ''))}\n\n"
        f"From `schemas/{name}.json`, which `jobsworth schema` writes.\n\n"
        f"| field | type | |\n| --- | --- | --- |\n" + "\n".join(lines) + "\n"
    )


def _fields(schema: dict[str, Any], root: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    schema = _resolved(schema, root)
    if depth > MAX_DEPTH:
        return
    if "items" in schema and isinstance(schema["items"], dict):
        yield from _fields(schema["items"], root, f"{path}[]", depth)
    for name, field in (schema.get("properties") or {}).items():
        if not isinstance(field, dict):
            continue
        found = _resolved(field, root)
        at = f"{path}.{name}" if path else name
        required = ", required" if name in schema.get("required", ()) else ""
        yield f"| `{at}` | {_type(found)}{required} | {_cell(found)} |"
        yield from _fields(found, root, at, depth + 1)
    for alternative in schema.get("oneOf", ()):
        yield from _fields(alternative, root, path, depth)


def _resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    if not reference.startswith("#/"):
        return schema
    found: Any = root
    for step in reference[2:].split("/"):
        found = found[step]
    return {**found, **{key: value for key, value in schema.items() if key != "$ref"}}


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _cell(schema: dict[str, Any]) -> str:
    text = _text(" ".join(str(schema.get("description", "")).split())).replace("|", "\\|")
    if "enum" in schema:
        text += (
            " One of "
            + ", ".join(f"`{value}`" for value in schema["enum"] if value is not None)
            + "."
        )
    return text.strip()
