"""The wheel and the sdist as users get them: from a package index, and until a release exists from a commit.

The commands are the README's; the index and the repository are on this machine, their dependencies in the configured index.
"""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import jobsworth
from support.artifacts.distributions import build
from support.artifacts.release_script import release
from support.artifacts.sent_reviews import ready, review
from support.cli.command_processes import BAD, GOOD

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"^(?:uvx|pip) .+$", re.MULTILINE)
PUBLISHED = COMMAND.findall(
    release.SINCE_A_RELEASE["README.md"].format(
        version=jobsworth.__version__, image="", chart="", workflow=""
    )
)
needs_a_clone = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is not a clone")


def committed() -> list[str]:
    """Return the README's commands for the newest commit of this clone."""
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    text = release.BEFORE_A_RELEASE["README.md"]
    return COMMAND.findall(text.format(commit=head.strip(), repository=release.REPOSITORY))


class Silent(SimpleHTTPRequestHandler):
    """A file server that logs nothing."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def index(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an index with jobsworth."""
    folder = tmp_path_factory.mktemp("index")
    shutil.copytree(built, folder / "simple/jobsworth")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/good.yaml").write_text(GOOD)
    return tmp_path


@pytest.fixture
def clone() -> dict[str, str]:
    """Variables with which git reads this clone instead of the project's repository."""
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": release.REPOSITORY,
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
    }


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    folder = tmp_path / "installed"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder / "bin"


def run(
    command: str, folder: Path, programs: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a line of the README in a shell, with the programs of an environment, not with this clone."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    folders = [str(programs or folder), str(Path(sys.executable).parent), environment["PATH"]]
    environment["PATH"] = os.pathsep.join(folders)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=environment | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip


def assert_works(folder: Path, venv: Path) -> None:
    """Check the installed command: a valid, an invalid manifest, a policy with an expression."""
    (folder / "bad.yaml").write_text(BAD)
    assert run("jobsworth validate manifests", folder, venv).returncode == 0
    done = run("jobsworth validate --profile baseline bad.yaml", folder, venv)
    assert done.returncode == 1, done.stderr
    assert "backoffLimitPerIndex" in done.stdout
    done = run(f"jobsworth policy test {ROOT / 'policies'}", folder, venv)
    assert done.returncode == 0, done.stdout + done.stderr
    (where,) = venv.parent.glob("lib/python3*/site-packages/jobsworth/schemas/v1.36/job.json")
    assert where.is_file()


def test_the_readme_shows_how_to_run_and_how_to_install() -> None:
    assert [line.split()[0] for line in PUBLISHED] == ["uvx", "pip"]
    shown = COMMAND.findall(release.BEFORE_A_RELEASE["README.md"])
    assert [line.split()[0] for line in shown] == ["uvx", "pip"]


def test_pip_installs_the_release_from_an_index(index: str, manifests: Path, venv: Path) -> None:
    done = run(PUBLISHED[1], manifests, venv, PIP_EXTRA_INDEX_URL=index)
    assert done.returncode == 0, done.stderr
    assert_works(manifests, venv)


@pytest.mark.slow
def test_pip_installs_the_release_from_an_sdist_and_the_webhook_denies_a_bad_job(
    index: str, manifests: Path, venv: Path, unused_tcp_ports: tuple[int, int]
) -> None:
    command = PUBLISHED[1].replace("[policy]", "[webhook]")
    done = run(command, manifests, venv, PIP_EXTRA_INDEX_URL=index, PIP_NO_BINARY="jobsworth")
    assert done.returncode == 0, done.stderr
    assert_works(manifests, venv)

    port, monitor = unused_tcp_ports
    options = [
        "--bind",
        f"127.0.0.1:{port}",
        "--monitor-bind",
        f"127.0.0.1:{monitor}",
        "--drain-seconds",
        "0",
    ]
    with subprocess.Popen(
        [venv / "jobsworth", "serve", "--self-signed", *options], cwd=manifests
    ) as server:
        try:
            end = time.monotonic() + 60
            while not ready(monitor):
                assert server.poll() is None
                assert time.monotonic() < end, "the webhook does not become ready"
                time.sleep(0.2)
            trust = ssl.create_default_context(cafile=manifests / "certs/ca.crt")
            assert review(f"https://localhost:{port}/validate", trust, BAD)["allowed"] is False
        finally:
            server.terminate()
    assert server.returncode == 0


def test_uvx_runs_the_release_from_an_index(index: str, manifests: Path) -> None:
    done = run(PUBLISHED[0], manifests, UV_INDEX=index, UV_CACHE_DIR=str(manifests / "cache"))
    assert done.returncode == 0, done.stderr
    assert "1 valid" in done.stderr


@needs_a_clone
def test_until_a_release_exists_uvx_runs_a_commit(manifests: Path, clone: dict[str, str]) -> None:
    cache = str(manifests / "cache")
    done = run(committed()[0], manifests, UV_CACHE_DIR=cache, **clone)
    assert done.returncode == 0, done.stderr
    assert "1 valid" in done.stderr


@pytest.mark.slow
@needs_a_clone
def test_until_a_release_exists_pip_installs_a_commit(
    manifests: Path, venv: Path, clone: dict[str, str]
) -> None:
    done = run(committed()[1], manifests, venv, **clone)
    assert done.returncode == 0, done.stderr
    assert_works(manifests, venv)
