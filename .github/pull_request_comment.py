"""Post the report of the Action as a comment on its pull request, or update the comment of an earlier run.

Takes only the environment: TOKEN, REPORT (a file in Markdown), and what the runner of GitHub sets. Without a
pull request, or without the right to comment, as in one from a fork, it prints a note: the report is also in
the summary of the workflow run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

MARKER = "<!-- jobsworth: what the changes do -->"
"""The first line of the comment, by which the next run finds it."""
NOTHING = "No changed Job behaves differently any more."
MAX_LETTERS = 60_000
"""GitHub accepts comments of 65,536 characters."""
PAGES, PER_PAGE = 20, 100
SECONDS = 30


class GitHub:
    """The REST API of GitHub."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url.rstrip("/"), token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Make a call and return the decoded response.

        Raises:
            HTTPError, URLError: GitHub refuses the call, or cannot be reached.
        """
        request = Request(
            self._url + path,
            None if body is None else json.dumps(body).encode(),
            {
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            method=method,
        )
        with urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)

    def own_login(self) -> str:
        """Return the login of the token's user; empty for the token of an app, which has no user."""
        try:
            return str(self.call("GET", "/user")["login"])
        except HTTPError as error:
            if error.code not in (401, 403, 404):
                raise
            return ""


def post(github: GitHub, repository: str, number: int, report: str, run: str) -> str:
    """Create or update the comment, and return what was done.

    Args:
        number: of the pull request.
        report: in Markdown; empty if no behavior changed.
        run: the URL of the workflow run.
    """
    comments = f"/repos/{repository}/issues/{number}/comments"
    earlier = _earlier(github, comments)
    if not report.strip():
        if earlier is None:
            return "no Job behaves differently: no comment"
        report = NOTHING
    body = f"{MARKER}\n{_shortened(report, run)}"
    if earlier is None:
        github.call("POST", comments, {"body": body})
        return "comment created"
    github.call("PATCH", f"/repos/{repository}/issues/comments/{earlier}", {"body": body})
    return "comment updated"


def _earlier(github: GitHub, comments: str) -> int | None:
    """Return the ID of the comment of an earlier run; one of another user with the marker is none."""
    login = github.own_login()
    for page in range(1, PAGES + 1):
        found = github.call("GET", f"{comments}?per_page={PER_PAGE}&page={page}")
        for comment in found:
            user = comment.get("user") or {}
            own = user.get("login") == login if login else user.get("type") == "Bot"
            if own and str(comment.get("body") or "").startswith(MARKER):
                return int(comment["id"])
        if len(found) < PER_PAGE:
            return None
    return None


def _shortened(report: str, run: str) -> str:
    """Return the sections of a report that fit into a comment, with the place of the others."""
    if len(report) <= MAX_LETTERS:
        return report
    kept: list[str] = []
    sections = report.split("\n### ")
    for section in sections:
        if sum(map(len, kept)) + len(section) > MAX_LETTERS:
            break
        kept.append(section)
    rest = f"{len(sections) - len(kept)} more in the [summary of the workflow run]({run})."
    return "\n### ".join(kept) + ("\n\n" if kept else "") + rest


def pull_request() -> int | None:
    """Return the number of the pull request of this workflow run; None without one."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    return number if isinstance(number, int) else None


def main() -> int:
    """Comment, and return the exit code: 0 also where commenting is not allowed."""
    number = pull_request()
    if number is None:
        print("::notice::this workflow run has no pull request to comment on")
        return 0
    get = os.environ.__getitem__
    run = (
        f"{get('GITHUB_SERVER_URL')}/{get('GITHUB_REPOSITORY')}/actions/runs/{get('GITHUB_RUN_ID')}"
    )
    github = GitHub(get("GITHUB_API_URL"), get("TOKEN"))
    report = Path(get("REPORT")).read_text(encoding="utf-8")
    try:
        print(post(github, get("GITHUB_REPOSITORY"), number, report, run))
    except HTTPError as error:
        if error.code not in (401, 403, 404):
            print(f"::error::GitHub refuses the comment: HTTP status {error.code}")
            return 1
        print(
            f"::warning::GitHub does not allow the comment (HTTP status {error.code}): grant permissions "
            "pull-requests: write. A pull request from a fork has a token that only reads."
        )
    except URLError as error:
        print(f"::error::{get('GITHUB_API_URL')} cannot be reached: {error.reason}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
