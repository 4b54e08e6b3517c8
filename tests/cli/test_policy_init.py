"""`jobsworth policy init`: a policy to start from, which is valid and whose test cases pass."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsworth.files.policies.policy_files import load_policies
from jobsworth.files.policies.profiles import PROFILES
from jobsworth.policy.document import NAME_PATTERN
from support.cli.command_runs import Command
from support.cli.parsed_options import parsed
from support.law_examples import number_of_examples

STARTS = [(), *(("--profile", profile) for profile in PROFILES)]


@pytest.mark.parametrize("start", STARTS, ids=" ".join)
def test_what_it_writes_is_valid_and_its_cases_pass(
    command: Command, start: tuple[str, ...]
) -> None:
    done = command("policy", "init", *start, "team-ml")
    assert done.code == 0
    commands = [line.split()[1:] for line in done.out.splitlines() if line.startswith("  ")]
    assert commands == [
        ["policy", "check", "team-ml.yaml"],
        ["policy", "test", "team-ml_test.yaml"],
    ]
    checked, tested = (command(*each) for each in commands)
    assert (checked.code, tested.code) == (0, 0)
    (line,) = checked.out.splitlines()  # without a warning or a note
    assert line.startswith("team-ml (priority 0, warn): ")
    assert tested.err.endswith(" passed, 0 failed\n")


def test_the_comments_name_the_files(command: Command) -> None:
    command("policy", "init", "team-ml")
    text = Path("team-ml.yaml").read_text("utf-8") + Path("team-ml_test.yaml").read_text("utf-8")
    assert "jobsworth policy test team-ml_test.yaml" in text
    assert "starter" not in text


@pytest.mark.parametrize("existing", ["team-ml.yaml", "team-ml_test.yaml"])
def test_it_overwrites_nothing(command: Command, existing: str) -> None:
    done = command("policy", "init", "team-ml", files={existing: "precious"})
    assert done.code == 2
    assert f"{existing} exists: choose another name, or remove it first" in done.err
    assert [path.name for path in Path().glob("team-ml*")] == [existing]
    assert Path(existing).read_text() == "precious"


def test_it_writes_through_no_broken_link(command: Command) -> None:
    Path("team-ml.yaml").symlink_to("elsewhere.yaml")
    assert command("policy", "init", "team-ml").code == 2
    assert not Path("elsewhere.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["Team"], '"Team" cannot be the name of a policy: use lower case letters'),
        (["../team"], '"../team" cannot be the name'),
        (["team\n"], "cannot be the name"),
        (["a" * 64], "at most 63"),
        (["a", "b"], "give one name: got a, b"),
        ([], "Missing argument 'NAME'"),
        (["baseline"], "a policy with the name baseline replaces that of the profile"),
        (["strict", "--profile", "baseline"], "or start from its copy with --profile strict"),
        (["team", "--directory", "/dev/null/x"], "cannot create /dev/null/x: Not a directory"),
    ],
)
def test_what_cannot_be_written_is_an_error(
    command: Command, arguments: list[str], complaint: str
) -> None:
    done = command("policy", "init", *arguments)
    assert done.code == 2
    assert complaint in " ".join(done.err.split())
    assert list(Path().iterdir()) == []


def test_the_folder_is_created(command: Command) -> None:
    assert command("policy", "init", "team", "--directory", "policies/jobs").code == 0
    assert command("policy", "test", "policies/jobs/team_test.yaml").code == 0


def test_a_copy_of_a_profile_replaces_it(command: Command) -> None:
    command("policy", "init", "baseline", "--profile", "baseline")
    copied = Path("baseline.yaml").read_text("utf-8").replace("maximum: 20", "maximum: 30")
    Path("baseline.yaml").write_text(copied, "utf-8")
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {
            "backoffLimit": 21,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "train:1"}],
                }
            },
        },
    }
    files = {"job.yaml": yaml.safe_dump(job)}
    options = ("validate", "-o", "concise", "--profile", "baseline", "job.yaml")
    assert "JP002" in command(*options, files=files).out
    assert "JP002" not in command(*options, "--policy", "baseline.yaml").out


@given(name=st.from_regex(NAME_PATTERN, fullmatch=True))
@settings(
    max_examples=number_of_examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_name_of_a_policy_can_be_used(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from jobsworth.cli.commands.policy_init import COMMAND

    folder = tmp_path_factory.mktemp("policies")
    if name not in PROFILES:
        arguments = ("--directory", str(folder), "--", name)
        assert COMMAND.run(parsed(COMMAND.takes, *arguments)) == 0
        (policy,) = load_policies([str(folder / f"{name}.yaml")]).policies
        assert policy.name == name
