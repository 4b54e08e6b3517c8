"""The comment of the Action on a pull request, posted to a server that answers as GitHub does."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.artifacts.action_steps import COMMENT, GOOD, explained, git, run

if shutil.which("bash") is None:
    pytest.skip("there is no bash here, in which the action's steps run", allow_module_level=True)

pytestmark = pytest.mark.slow

MAIL = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: mail
spec:
  schedule: "0 23 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example.com/mail:1.4
"""
COMMENTS = "/repos/shop/jobs/issues/7/comments"
MARKER = "<!-- jobsworth: what the changes do -->"
BOT = {"login": "github-actions[bot]", "type": "Bot"}


class FakeGitHub:
    """The comments of one pull request.

    Attributes:
        comments: in their order.
        login: of the token's user; empty for the token of an app.
        refusal: the status that answers every write; 0 for none.
        tokens: the Authorization headers so far.
    """

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.login = ""
        self.refusal = 0
        self.tokens: set[str] = set()
        self.url = ""

    def add(self, body: str, user: dict[str, str]) -> None:
        self.comments.append({"id": 100 + len(self.comments), "body": body, "user": user})

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if path == "/user":
            return (200, {"login": self.login}) if self.login else (403, {})
        if method != "GET" and self.refusal:
            return self.refusal, {"message": "Resource not accessible by integration"}
        if method == "POST" and path == COMMENTS:
            self.add(body["body"], BOT)
            return 201, self.comments[-1]
        if method == "GET" and path.startswith(COMMENTS):
            page = int(re.search(r"[?&]page=(\d+)", path)[1])  # type: ignore[index]
            return 200, self.comments[100 * (page - 1) : 100 * page]
        found = re.fullmatch(r"/repos/shop/jobs/issues/comments/(\d+)", path)
        assert found is not None, path
        assert method == "PATCH"
        (comment,) = (each for each in self.comments if each["id"] == int(found[1]))
        comment["body"] = body["body"]
        return 200, comment


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    fake = FakeGitHub()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            fake.tokens.add(self.headers["Authorization"])
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            code, answer = fake.answer(self.command, self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield fake
    server.shutdown()
    server.server_close()


def commented(
    github: FakeGitHub, checkout: Path, temp: Path, report: str, event: Any = None
) -> subprocess.CompletedProcess[str]:
    """Run the step with a report of the step before."""
    (temp / "jobsworth-changes.md").write_text(report)
    (temp / "event.json").write_text(
        json.dumps({"pull_request": {"number": 7}} if event is None else event)
    )
    environment = {
        "GITHUB_API_URL": github.url,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "shop/jobs",
        "GITHUB_RUN_ID": "12",
        "GITHUB_EVENT_PATH": str(temp / "event.json"),
    }
    return run(COMMENT, checkout, temp, environment=environment, comment_token="secret")


def test_the_report_is_posted_once_and_updated_in_place(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    github.add("Nice work", {"login": "jo", "type": "User"})
    assert commented(github, folder, temp, "### Job train\n").stdout == "comment created\n"
    assert commented(github, folder, temp, "### Job other\n").stdout == "comment updated\n"
    assert [each["body"] for each in github.comments] == [
        "Nice work",
        f"{MARKER}\n### Job other\n",
    ]
    assert github.tokens == {"Bearer secret"}


def test_without_a_change_no_comment_is_made_and_an_earlier_one_says_so(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    assert "no comment" in commented(github, folder, temp, "").stdout
    assert github.comments == []
    commented(github, folder, temp, "### Job train\n")
    commented(github, folder, temp, "")
    (comment,) = github.comments
    assert comment["body"] == f"{MARKER}\nNo changed Job behaves differently any more."


def test_a_comment_of_another_user_with_the_marker_is_left_alone(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    github.add(f"{MARKER}\nmine", {"login": "mallory", "type": "User"})
    commented(github, folder, temp, "### Job train\n")
    assert [each["body"].splitlines()[1] for each in github.comments] == ["mine", "### Job train"]
    github.login = "mallory"  # the token is hers
    commented(github, folder, temp, "### Job other\n")
    assert github.comments[0]["body"] == f"{MARKER}\n### Job other\n"


def test_the_comment_is_found_among_hundreds(github: FakeGitHub, folder: Path, temp: Path) -> None:
    for number in range(250):
        github.add(f"comment {number}", BOT)
    github.add(f"{MARKER}\nold", BOT)
    assert commented(github, folder, temp, "### Job train\n").stdout == "comment updated\n"
    assert len(github.comments) == 251


def test_a_report_that_is_too_long_is_cut_between_two_jobs(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    report = "".join(f"### Job {number}\n{'x' * 25_000}\n" for number in range(4))
    commented(github, folder, temp, report)
    body = github.comments[0]["body"]
    assert len(body) < 65_536
    assert "### Job 1\n" in body
    assert "### Job 2\n" not in body
    assert body.endswith(
        "2 more in the [summary of the workflow run](https://github.com/shop/jobs/actions/runs/12)."
    )


def test_a_token_that_may_not_write_is_a_warning(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    github.refusal = 403
    done = commented(github, folder, temp, "### Job train\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::warning::GitHub does not allow the comment (HTTP status 403)")
    github.refusal = 500
    done = commented(github, folder, temp, "### Job train\n")
    assert (done.returncode, done.stdout) == (
        1,
        "::error::GitHub refuses the comment: HTTP status 500\n",
    )


def test_a_run_without_a_pull_request_posts_nothing(
    github: FakeGitHub, folder: Path, temp: Path
) -> None:
    done = commented(github, folder, temp, "### Job train\n", event={"ref": "refs/heads/main"})
    assert done.returncode == 0, done.stderr
    assert github.tokens == set()


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git command here")
def test_the_comment_has_the_behavior_of_jobs_and_the_runs_of_cron_jobs(
    github: FakeGitHub, committed: Path, temp: Path
) -> None:
    (committed / "mail.yaml").write_text(MAIL)
    git(committed, "add", ".")
    git(committed, "commit", "-q", "-m", "a CronJob")
    (committed / "job.yaml").write_text(GOOD.replace("spec:\n", "spec:\n  backoffLimit: 0\n", 1))
    (committed / "mail.yaml").write_text(MAIL.replace("0 23 * * *", "0 5 * * *"))
    done, summary = explained(committed, temp, "HEAD")
    assert done.returncode == 0, done.stderr
    assert "the Job fails (BackoffLimitExceeded)" in summary
    assert "**When the update is applied**" in summary
    commented(github, committed, temp, (temp / "jobsworth-changes.md").read_text())
    assert github.comments[0]["body"] == f"{MARKER}\n{summary}"


def test_it_executes_nothing_of_the_checkout(github: FakeGitHub, folder: Path, temp: Path) -> None:
    (folder / "json.py").write_text("raise SystemExit('executed')")
    done = commented(github, folder, temp, "### Job train\n")
    assert (done.returncode, done.stdout) == (0, "comment created\n"), done.stderr
