"""The release of the API server: asked for now and then, and the server that it leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gunicorn")

from jobsworth.api.api_server import NEWEST_RELEASE, RELEASES
from jobsworth.cli.commands.serve import ServedOptions
from jobsworth.cli.server_options import server_of_release
from jobsworth.serving.active_policies import POLL_SECONDS, RETRY_SECONDS, ReleasePoll
from support.cli.parsed_options import parsed


def test_the_release_is_asked_for_again_after_a_while_and_sooner_after_an_error(
    tmp_path: Path,
) -> None:
    now, asked = 0.0, 0
    logged: list[str] = []
    answers = ["1.33", "", "", "1.34"]
    file = tmp_path / "kubernetes-version"

    def ask() -> str:
        nonlocal asked
        answer = answers[asked]
        asked += 1
        if not answer:
            raise OSError("connection refused")
        return answer

    poll = ReleasePoll(ask, file, lambda: now)
    poll.poll(logged.append)
    assert file.read_text() == "1.33\n"
    poll.poll(logged.append)
    assert asked == 1
    now += POLL_SECONDS
    poll.poll(logged.append)
    now += RETRY_SECONDS
    poll.poll(logged.append)
    assert file.read_text() == "1.33\n"
    assert logged == ["the release of the API server is unknown: connection refused"]
    now += RETRY_SECONDS
    poll.poll(logged.append)
    assert file.read_text() == "1.34\n"


@pytest.mark.parametrize(
    ("reported", "assumed"),
    [("1.33", "1.33"), ("1.99", RELEASES[-1]), ("1.20", "1.25"), ("", NEWEST_RELEASE)],
)
def test_the_nearest_known_release_applies(reported: str, assumed: str) -> None:
    of = server_of_release(parsed(ServedOptions, "--kubernetes-version=auto"))
    assert of(reported).release == assumed


def test_gates_that_a_release_does_not_have_are_left_out() -> None:
    of = server_of_release(
        parsed(ServedOptions, "--kubernetes-version=auto", "--feature-gates=JobManagedBy=false")
    )
    assert of("1.30").gates == (("JobManagedBy", False),)
    assert of("1.25").gates == ()


def test_a_fixed_release_applies_whatever_the_server_reports() -> None:
    assert (
        server_of_release(parsed(ServedOptions, "--kubernetes-version=1.30"))("1.36").release
        == "1.30"
    )
