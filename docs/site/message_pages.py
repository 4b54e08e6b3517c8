"""Write docs/messages: a page for each message of the API server and for each reason of conditions and events.

Run it from the root of the repository: ``PYTHONPATH=webhook python docs/site/message_pages.py``.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside this one, also for tests

import reasons
import rejections

from jobsworth.api.api_server import NEWEST_RELEASE
from jobsworth.api.api_server import RELEASES as KNOWN
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.pages import file_name
from jobsworth.manifests.editing.yaml_writer import to_yaml
from jobsworth.printable import printable
from jobsworth.reports.timelines.timeline_svg import timeline_svg
from jobsworth.runs.virtual_time import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reasons import Reason
    from rejections import Rejection

    from jobsworth.findings.finding import Finding

RELEASES = KNOWN[: KNOWN.index(NEWEST_RELEASE) + 1]
"""The releases that are out."""
DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "messages"
MAX_TITLE = 150
MAX_EXAMPLE_LINES = 60
_OBJECT = re.compile(r"\{.*\}")

_INDEX = """\
# Messages

Messages of the API server about Jobs and CronJobs, and reasons of their conditions and events: what each means, the smallest example,
and what to do. The examples are evaluated when the pages are made, so that each message is what jobsworth reports; a real kube-apiserver 1.36
rejects each example with the message of its page.

On the site, paste a message into the search as kubectl prints it: names, numbers and values in it are left out.

`failed calling webhook "validate.jobsworth.dev"` and `failed to call webhook` are not about the manifest: the API server got no answer from
an admission webhook. [When the webhook fails](../troubleshooting.md#when-the-webhook-fails) has the commands.

`jobsworth validate job.yaml` reports the same messages before the API server sees the manifest, with file and line, and proposes fixes.
"""


def files() -> dict[str, str]:
    """Return the text of each file of docs/messages, by its name."""
    texts = {"README.md": _index()}
    for family in rejections.families():
        for rejection in family.rejections:
            texts[f"{rejection.page}.md"] = rejection_page(rejection)
    for group in reasons.families():
        for reason in group.reasons:
            texts |= reason_files(reason)
    return texts


def _index() -> str:
    parts = [_INDEX]
    for group in reasons.families():
        rows = (
            f"| [{reason.page}]({reason.page}.md) | {_first_sentence(reason.means)} |"
            for reason in group.reasons
        )
        parts.append(_section(group.title, group.about, ("reason", "meaning"), rows))
    for family in rejections.families():
        lines = (
            f"| [{_cell(title(each))}]({each.page}.md) | {_cell(_first_sentence(each.means))} |"
            for each in family.rejections
        )
        parts.append(_section(family.title, family.about, ("message", "meaning"), lines))
    return "\n".join(parts)


def _section(title: str, about: str, head: Sequence[str], rows: Iterable[str]) -> str:
    introduction = f"{about}\n\n" if about else ""
    table = "\n".join([f"| {' | '.join(head)} |", "| --- | --- |", *rows])
    return f"## {title}\n\n{introduction}{table}\n"


def title(rejection: Rejection) -> str:
    """Return the message as the title of its page: with its field, and long values shortened."""
    finding = rejection.finding()
    assert finding is not None, rejection.page
    message = _OBJECT.sub("{…}", finding.message) if _is_long(finding) else finding.message
    text = f"{finding.field}: {message}" if rejection.rule != "unknown_field" else finding.message
    return text if len(text) <= MAX_TITLE else f"{text[: MAX_TITLE - 1]}…"


def _is_long(finding: Finding) -> bool:
    return len(finding.field) + len(finding.message) > MAX_TITLE // 2


def rejection_page(rejection: Rejection) -> str:
    """Return the page of a message."""
    finding = rejection.finding()
    assert finding is not None, rejection.page
    old = rejection.old
    stored = (
        ""
        if old is None
        else f"Stored in the cluster:\n\n```yaml\n{to_yaml([old])}```\n\nApplied:\n\n"
    )
    options = "--no-allow-privileged " if rejection.server else ""
    options += "" if old is None else "--against stored.yaml "
    return f"""\
# {_heading(title(rejection))}

{_paragraph(rejection.means)}

kubectl prints:

```text
{_of_kubectl(rejection)}
```

## Example

{stored}```yaml
{_shortened(to_yaml([rejection.example]))}```

`jobsworth validate {options}job.yaml` reports [{finding.code}](../rules/{file_name(CATALOGUE[finding.code])}) at `{finding.field}`:

```text
{finding.message}
```

## Fix

{_fix(rejection)}## Releases

{_releases(rejection)}
{_links(rejection.sources, rejection.see)}"""


def _of_kubectl(rejection: Rejection) -> str:
    """Return the output of kubectl for the example; it lists several errors as a list."""
    name, kind = rejection.example["metadata"].get("name", ""), rejection.kind
    if rejection.kubectl:
        return (
            f'Error from server (BadRequest): error when creating "job.yaml": {kind} in version "v1" '
            f"cannot be handled as a {kind}: {rejection.kubectl}"
        )
    errors = [f"{each.field}: {each.message}" for each in rejection.findings()]
    if len(errors) == 1:
        return f'The {kind} "{name}" is invalid: {errors[0]}'
    return "\n".join([f'The {kind} "{name}" is invalid: ', *(f"* {error}" for error in errors)])


def _fix(rejection: Rejection) -> str:
    _, fix = rejection.solved()
    parts = [_paragraph(rejection.solution)] if rejection.solution else []
    if fix is not None:
        command = "--fix" if fix.safe else "--fix --unsafe"
        parts.append(f"`jobsworth validate {command} job.yaml`: {_paragraph(fix.title)}")
    diff = rejection.diff()
    if diff:
        parts.append(f"```diff\n{_shortened(diff + chr(10))}```")
    return "".join(f"{part}\n\n" for part in parts)


def _releases(rejection: Rejection) -> str:
    """Return the releases that report the message, and what others say instead."""
    reported = {each: text for each, text in rejection.releases().items() if each in RELEASES}
    groups: dict[str, list[str]] = {}
    for release, message in reported.items():
        groups.setdefault(message, []).append(release)
    newest = reported[max(reported, key=RELEASES.index)]
    lines = [f"Kubernetes {_range(groups.pop(newest))}."]
    for message, releases in groups.items():
        lines.append(f"In {_range(releases)} it says:\n\n```text\n{message}\n```")
    missing = [release for release in RELEASES if release not in reported]
    if missing:
        lines.append(
            f"{_range(missing)} does not report it: the field or the rule does not exist there, or its feature "
            "gate is off by default."
        )
    return "\n\n".join(lines) + "\n"


def _range(releases: list[str]) -> str:
    """Return releases as ranges: ``1.25 to 1.28, 1.30``."""
    minors = sorted(RELEASES.index(release) for release in releases)
    ranges: list[list[int]] = []
    for minor in minors:
        if ranges and minor == ranges[-1][-1] + 1:
            ranges[-1].append(minor)
        else:
            ranges.append([minor])
    return ", ".join(
        RELEASES[each[0]] if len(each) == 1 else f"{RELEASES[each[0]]} to {RELEASES[each[-1]]}"
        for each in ranges
    )


def reason_files(reason: Reason) -> dict[str, str]:
    """Return the page of a reason, and its picture, by their names."""
    record = reason.run()
    occurrences = reason.occurrences(record)
    assert occurrences, reason.page
    rows = "\n".join(
        f"| {spoken(each.at)} | {each.where} | `{printable(each.message)}` |"
        for each in occurrences
    )
    example = to_yaml([reason.example, reason.scenario_document])
    picture = f"{reason.page}.svg"
    page = f"""\
# {reason.page}: {occurrences[0].message}

{_paragraph(reason.means)}

## What to do

{_paragraph(reason.solution)}

## Example

![The Pods of the example over time]({picture})

| after | where | message |
| --- | --- | --- |
{rows}

`jobsworth simulate example.yaml` runs this {reason.kind} in this scenario ([simulation](../simulate.md)):

```yaml
{example}```

{_links(reason.sources, reason.see)}"""
    drawn = timeline_svg([(f"{reason.kind} example", record)])
    return {f"{reason.page}.md": page, picture: f"{drawn}\n"}


def _links(sources: Sequence[str], see: Sequence[str]) -> str:
    lines = [f"- {_source(source)}" for source in sources]
    lines += [f"- [{_title_of(page)}](../{page})" for page in see]
    return "## Sources and related pages\n\n" + "".join(f"{line}\n" for line in lines)


def _source(text: str) -> str:
    name, separator, address = text.rpartition(", ")
    return f"[{name}]({address})" if separator else f"<{address}>"


def _title_of(page: str) -> str:
    first = (DOCS / page).read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ")


def _shortened(text: str) -> str:
    lines = text.splitlines()
    if len(lines) <= MAX_EXAMPLE_LINES:
        return text
    head, tail = lines[: MAX_EXAMPLE_LINES // 2], lines[-MAX_EXAMPLE_LINES // 4 :]
    return "\n".join([*head, "# … and so on", *tail, ""])


def _first_sentence(text: str) -> str:
    sentence, _, _ = _paragraph(text).partition(". ")
    return sentence.rstrip(".") + "."


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _heading(text: str) -> str:
    """Return text for a heading: Markdown of the message is not markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)


def _cell(text: str) -> str:
    return _heading(text) if "[" in text or "|" in text or "<" in text else text


def write(folder: Path) -> None:
    """Write all files, and remove those of deleted messages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
