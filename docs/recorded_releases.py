"""Write the table of recorded API servers into docs/releases.md.

    PYTHONPATH=webhook:tests python docs/recorded_releases.py

It is made from the recordings in tests/recorded/data alone.
"""

from __future__ import annotations

from pathlib import Path

from cluster.programs import VENDORED
from support.api_server.recorded_answers import Recording, recorded_releases

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/releases.md"
BEGIN = "<!-- table: docs/recorded_releases.py makes it -->\n"
END = "<!-- end of table -->"


def table() -> str:
    """Return the table, the newest release first."""
    rows = [
        "| kube-apiserver | cases | servers with a gate changed | answers that this changed "
        "| warnings | recorded |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for release in reversed(recorded_releases()):
        recording = Recording.read(release)
        default, *changed = recording.sections
        build = " (OpenShift)" if release in VENDORED else ""
        asked = sum(answer.is_about_the_object for answer in default.answers.values())
        more = sum(len(section.answers) for section in changed)
        warned = sum(len(answer.warnings or ()) for answer in default.answers.values())
        warnings = f"{warned:,}" if recording.has_warnings else "not recorded"
        rows.append(
            f"| {recording.version}{build} | {asked:,} | {len(changed)} | {more:,} | {warnings} | "
            f"{recording.date} |"
        )
    return "\n".join(rows) + "\n"


def with_table(page: str) -> str:
    """Return a page with the table between its markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN.strip()} or {END}")
    return before + begin + table() + end + after


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
