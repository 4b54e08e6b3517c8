"""Repositories that a stranger may have made: git runs no program for them, waits for none, and stays in them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from jobsworth.files import programs
from jobsworth.files.git import FETCH_CONTENTS, Repository
from jobsworth.usage_error import UsageError

pytestmark = pytest.mark.slow  # each test makes a repository

if shutil.which("git") is None or not hasattr(os, "mkfifo"):
    pytest.skip("git or named pipes are not available", allow_module_level=True)

ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A tester",
    "GIT_AUTHOR_EMAIL": "tester@example.com",
    "GIT_COMMITTER_NAME": "A tester",
    "GIT_COMMITTER_EMAIL": "tester@example.com",
}

PROGRAMS = (
    "alias.diff", "alias.diff.command", "browser.evil.cmd", "browser.evil.path", "core.alternateRefsCommand",
    "core.askPass", "core.editor", "core.fsmonitor", "core.gitProxy", "core.hooksPath", "core.pager", "core.sshCommand",
    "credential.helper", "credential.ssh://127.0.0.1.helper", "diff.evil.command", "diff.evil.textconv", "diff.external",
    "difftool.evil.cmd", "difftool.evil.path", "filter.evil.clean", "filter.evil.process", "filter.evil.smudge",
    "filter.evil=x.clean", "gc.recentObjectsHook", "gpg.openpgp.program", "gpg.program", "gpg.ssh.defaultKeyCommand",
    "guitool.evil.cmd", "hook.evil.command", "imap.tunnel", "init.templateDir", "instaweb.httpd",
    "interactive.diffFilter", "man.evil.cmd", "man.evil.path", "merge.evil.driver", "mergetool.evil.cmd",
    "mergetool.evil.path", "pager.diff", "remote.origin.proxy", "remote.origin.receivepack", "remote.origin.uploadpack",
    "remote.origin.url", "remote.origin.vcs", "sendemail.ccCmd", "sendemail.headerCmd", "sendemail.sendmailCmd",
    "sendemail.smtpServer", "sendemail.toCmd", "sequence.editor", "submodule.sub.update", "tar.evil.command",
    "trailer.evil.cmd", "trailer.evil.command", "uploadpack.packObjectsHook", "url.evil.insteadOf", "web.browser",
)  # fmt: skip
"""Every setting in git's documentation (Documentation/config of git 2.55) whose value is a program, a command of the
shell, a folder of hooks, or the address of a helper."""

RUN_BY_GIT = (
    "core.fsmonitor", "core.sshCommand", "filter.evil.clean", "filter.evil.process", "filter.evil=x.clean",
    "remote.origin.uploadpack", "remote.origin.url",
)  # fmt: skip
"""Those that the queries here would run, with git 2.39 and later."""

FILES = (
    "blame.ignoreRevsFile", "commit.template", "core.attributesFile", "core.excludesFile", "diff.orderFile",
    "format.signatureFile", "fsck.skipList", "gpg.ssh.allowedSignersFile", "http.cookieFile", "http.sslCert", "include.path",
    "includeIf.gitdir:/.path", "includeIf.onbranch:**.path", "mailmap.file", "receive.fsck.skipList",
)  # fmt: skip
"""Settings whose value is a file that git reads: a named pipe would make it wait."""

VALUES = {
    "alias.diff": "!{}",
    "alias.diff.command": "!{}",
    "core.hooksPath": "hooks-of-the-repository",
    "init.templateDir": "hooks-of-the-repository",
    "remote.origin.url": "ext::{}",
    "remote.origin.vcs": "ext",
    "submodule.sub.update": "!{}",
    "url.evil.insteadOf": "ssh:",
}
WITH = {
    "core.sshCommand": {"remote.origin.url": "ssh://127.0.0.1/x"},
    "core.askPass": {"remote.origin.url": "ssh://127.0.0.1/x"},
    "core.gitProxy": {"remote.origin.url": "git://127.0.0.1/x"},
    "hook.evil.command": {"hook.evil.event": "post-index-change"},
    "remote.origin.vcs": {"remote.origin.url": "{}"},
}
"""Settings with which git would run the program of another one."""

Git = Callable[..., str]


def git_in(folder: Path) -> Git:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return git


def write_commits(folder: Path) -> Git:
    """Make a repository with three commits: job.yaml has the texts 1, 2 and 3, and 4 in the working tree."""
    folder.mkdir(parents=True)
    git = git_in(folder)
    git("init", "--quiet", "--initial-branch=main")
    for number in (1, 2, 3):
        (folder / "job.yaml").write_text(f"{number}\n")
        git("add", "--all")
        git("commit", "--quiet", f"--message={number}")
    (folder / "job.yaml").write_text("4\n")
    return git


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git") / "repository"
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
        write_commits(folder)
    return folder


@pytest.fixture
def folder(commits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository."""
    place = tmp_path / "repository"
    shutil.copytree(commits, place, symlinks=True)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def git(folder: Path) -> Git:
    return git_in(folder)


def changes(ref: str) -> dict[str, str]:
    """Return the changed files with what they were at a ref, as `--git-ref` reads them."""
    with Repository() as repository:
        commit = repository.commit(ref)
        repository.merge_base(commit)
        changed = repository.changed_since(commit)
        repository.untracked()
        return {file: text.decode().strip() for file, text in repository.contents(changed)}


def lose_contents(folder: Path, git: Git) -> None:
    """Make a repository a partial clone without any contents of files."""
    for object_id in git(
        "rev-list", "--all", "--objects", "--filter=object:type=blob", "--filter-provided-objects"
    ).split():
        file = folder / ".git" / "objects" / object_id[:2] / object_id[2:]
        file.unlink(missing_ok=True)
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.promisor", "true")
    git("config", "remote.origin.url", ".")
    git("config", "protocol.allow", "always")


def set_a_trap(folder: Path, git: Git, setting: str) -> Path:
    """Set a setting to a program, in a repository where much leads to its being run; return what the program writes."""
    trap, ran = folder / ".git" / "trap", folder / ".git" / "ran"
    trap.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    trap.chmod(0o755)
    hooks = folder / "hooks-of-the-repository"
    hooks.mkdir()
    for hook in (
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        shutil.copy(trap, hooks / hook)
        (folder / ".git" / "hooks").mkdir(exist_ok=True)
        shutil.copy(trap, folder / ".git" / "hooks" / hook)
    (folder / ".gitattributes").write_text(
        "* filter=evil=x diff=evil merge=evil\n"
        if "=x" in setting
        else "* filter=evil diff=evil merge=evil\n"
    )
    lose_contents(folder, git)
    for name, value in {setting: VALUES.get(setting, "{}"), **WITH.get(setting, {})}.items():
        git(
            "config",
            "--add" if name.endswith("event") else "--replace-all",
            name,
            value.format(trap),
        )
    return ran


@pytest.mark.parametrize("setting", PROGRAMS)
def test_no_program_that_a_repository_names_is_run(folder: Path, git: Git, setting: str) -> None:
    ran = set_a_trap(folder, git, setting)
    with pytest.raises(UsageError, match=r"partial clone .* fetch (it|them) first"):
        changes("HEAD")
    assert not ran.exists()


@pytest.mark.parametrize("setting", RUN_BY_GIT)
def test_git_itself_would_run_them(folder: Path, git: Git, setting: str) -> None:
    ran = set_a_trap(folder, git, setting)
    for query in (("status",), ("diff", "HEAD"), ("cat-file", "-p", "HEAD:job.yaml")):
        subprocess.run(["git", *query], check=False, capture_output=True, stdin=subprocess.DEVNULL)
    assert ran.exists()


@pytest.mark.parametrize("setting", FILES)
def test_no_file_that_a_repository_names_is_waited_for(
    folder: Path, git: Git, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_SECONDS", 30)
    os.mkfifo(folder / ".git" / "pipe")
    git("config", setting, str(folder / ".git" / "pipe"))
    assert changes("HEAD") == {"job.yaml": "3"}


def test_the_configuration_of_a_worktree_names_no_program_either(folder: Path, git: Git) -> None:
    ran = set_a_trap(folder, git, "alias.diff")
    git("config", "extensions.worktreeConfig", "true")
    (folder / ".git" / "config.worktree").write_text(
        f'[core]\n\tfsmonitor = "{folder}/.git/trap"\n'
    )
    with pytest.raises(UsageError, match="partial clone"):
        changes("HEAD")
    assert not ran.exists()


def test_no_program_of_a_submodule_is_run(folder: Path, git: Git) -> None:
    inner = write_commits(folder / "sub")
    git("-c", "core.fsmonitor=", "add", "--all")
    git("commit", "--quiet", "--message=A submodule")
    ran = set_a_trap(folder / "sub", inner, "core.fsmonitor")
    (folder / "job.yaml").write_text("5\n")
    assert changes("HEAD")["job.yaml"] == "4"
    assert not ran.exists()


def test_a_bare_repository_in_a_repository_is_no_repository(
    folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "--quiet", "--bare", ".", "bare")
    ran = folder / "ran"
    git_in(folder / "bare")("config", "core.fsmonitor", f"touch {ran}")
    git_in(folder / "bare")("config", "core.worktree", "/")
    monkeypatch.chdir(folder / "bare")
    assert changes("HEAD") == {"job.yaml": "3"}
    assert not ran.exists()


def test_a_program_in_the_current_folder_is_not_git(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "git").write_text(f"#!/bin/sh\ntouch {folder}/ran\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    with pytest.raises(UsageError, match="requires the git command"):
        changes("HEAD")
    assert not (folder / "ran").exists()


def test_the_users_own_configuration_applies(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.write_text(
        f'[filter "upper"]\n\tclean = "sed s/4/3/"\n[core]\n\texcludesFile = {tmp_path}/mine\n'
    )
    (tmp_path / "mine").write_text("*.tmp\n")
    (folder / "x.tmp").write_text("")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("*.yaml filter=upper\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    with Repository() as repository:
        assert repository.changed_since(repository.commit("HEAD")) == {}
        assert repository.untracked() == []


# A repository stays as it is stored.


@pytest.mark.parametrize("ref", ["main", "HEAD", "main@{0}", "HEAD@{0}", "FETCH_HEAD", "topic"])
def test_refs_of_all_kinds_are_found(folder: Path, git: Git, ref: str) -> None:
    git("fetch", "--quiet", ".", "main")
    git("branch", "topic")
    git("pack-refs", "--all")
    assert changes(ref) == {"job.yaml": "3"}
    assert changes(f"{ref}~2") == {"job.yaml": "1"}


def test_earlier_values_of_refs_are_found(git: Git) -> None:
    assert changes("HEAD@{2}") == {"job.yaml": "1"}
    assert changes("main@{1}") == {"job.yaml": "2"}


def test_the_upstream_of_a_branch_is_found(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_in(tmp_path)("clone", "--quiet", str(folder), "clone")
    clone = git_in(tmp_path / "clone")
    clone("checkout", "--quiet", "-b", 'a.b"c', "--track", "origin/main")
    clone("commit", "--quiet", "--allow-empty", "--message=4")
    (tmp_path / "clone" / "job.yaml").write_text("5")
    monkeypatch.chdir(tmp_path / "clone")
    assert changes("@{upstream}") == {"job.yaml": "3"}
    assert changes("@{u}~1") == {"job.yaml": "2"}


@pytest.mark.parametrize("extra", [["--object-format=sha256"], ["--ref-format=reftable"]])
def test_repositories_of_other_formats_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: list[str]
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    made = subprocess.run(
        ["git", "init", "--quiet", *extra, folder], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("this git does not know the format")
    git = git_in(folder)
    (folder / "job.yaml").write_text("1")
    git("add", "--all")
    git("commit", "--quiet", "--message=1")
    (folder / "job.yaml").write_text("2")
    monkeypatch.chdir(folder)
    assert changes("HEAD") == {"job.yaml": "1"}


def test_a_split_index_and_a_sparse_checkout_are_read(folder: Path, git: Git) -> None:
    (folder / "far").mkdir()
    (folder / "far" / "job.yaml").write_text("1\n")
    git("add", "far")
    git("commit", "--quiet", "--message=Far")
    git("update-index", "--split-index")
    git("stash", "--quiet")
    git("sparse-checkout", "set", "near")
    assert not (folder / "far").exists()
    git("stash", "pop", "--quiet")
    assert changes("HEAD") == {"job.yaml": "3"}


def test_line_ends_count_as_the_repository_says(folder: Path, git: Git) -> None:
    git("checkout", "--quiet", "--force", "main")
    (folder / "job.yaml").write_bytes(b"3\r\n")
    assert changes("HEAD") == {"job.yaml": "3"}
    git("config", "core.autocrlf", "true")
    assert changes("HEAD") == {}


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_worktree_has_its_own_head(
    folder: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    worktree = tmp_path / "worktree"
    git("worktree", "add", "--quiet", "-b", "other", str(worktree), "HEAD~1")
    if relative:
        (worktree / ".git").write_text("gitdir: ../repository/.git/worktrees/worktree\n")
        own = folder / ".git" / "worktrees" / "worktree"
        (own / "gitdir").write_text("../../../../worktree/.git\n")
    git_in(worktree)("commit", "--quiet", "--allow-empty", "--message=Other")
    (worktree / "job.yaml").write_text("5\n")
    monkeypatch.chdir(worktree)
    assert changes("HEAD") == {"job.yaml": "2"}
    assert changes("main") == {"job.yaml": "3"}
    assert changes("HEAD@{1}~1") == {"job.yaml": "1"}


def test_a_submodule_is_a_repository_of_its_own(
    folder: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_commits(tmp_path / "library")
    git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(tmp_path / "library"),
        "sub",
    )
    (folder / "sub" / "job.yaml").write_text("9\n")
    monkeypatch.chdir(folder / "sub")
    assert changes("HEAD") == {"job.yaml": "3"}


def test_a_git_directory_that_the_user_names_is_the_users_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".git").rename(tmp_path / "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert changes("HEAD") == {"job.yaml": "3"}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_WORK_TREE", "repository")
    assert changes("HEAD") == {"job.yaml": "3"}


def test_no_repository_is_looked_for_above_a_ceiling_of_the_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(folder / "deep" / "er")
    assert changes("HEAD") == {"job.yaml": "3"}
    for ceiling, found in (("", False), ("deep", False), ("deep/er", True), ("elsewhere", True)):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", f"relative{os.pathsep}{folder / ceiling}")
        if found:
            assert changes("HEAD") == {"job.yaml": "3"}
        else:
            with pytest.raises(UsageError, match="this folder is not in a git repository"):
                changes("HEAD")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
    assert changes("HEAD") == {"job.yaml": "3"}


def test_the_index_of_a_commit_hook_is_used(
    folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(folder / ".git" / "index", folder / ".git" / "next-index")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    (folder / "new.yaml").write_text("")
    git("add", "new.yaml")
    with Repository() as repository:
        assert repository.untracked() == []
    monkeypatch.delenv("GIT_INDEX_FILE")
    with Repository() as repository:
        assert repository.untracked() == ["new.yaml"]


def test_nothing_is_left_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    before = sorted(folder.rglob("*"))
    changes("HEAD")
    assert sorted(folder.rglob("*")) == before
    assert list((tmp_path / "temporary").iterdir()) == []


# What leads out of a repository.


def test_a_partial_clone_gets_a_sentence(
    folder: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("config", "uploadpack.allowFilter", "true")
    git_in(tmp_path)("clone", "--quiet", "--filter=blob:none", f"file://{folder}", "partial")
    partial = tmp_path / "partial"
    (partial / "job.yaml").write_text("4\n")
    monkeypatch.chdir(partial)
    with pytest.raises(UsageError) as raised:
        changes("HEAD~1")
    assert FETCH_CONTENTS in str(raised.value)
    git_in(partial)(*FETCH_CONTENTS.removeprefix("git ").split())
    assert changes("HEAD~1") == {"job.yaml": "2"}


def test_a_partial_clone_without_folders_gets_a_sentence(
    folder: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("config", "uploadpack.allowFilter", "true")
    git_in(tmp_path)("clone", "--quiet", "--filter=tree:0", f"file://{folder}", "partial")
    monkeypatch.chdir(tmp_path / "partial")
    with pytest.raises(UsageError, match="a partial clone may lack what git needs"):
        changes("HEAD~1")


@pytest.mark.parametrize(
    "entry",
    [
        "HEAD",
        "config",
        "index",
        "info/exclude",
        "objects/info/alternates",
        "packed-refs",
        "refs/heads/x",
        "shallow",
    ],
)
def test_pipes_and_links_out_of_a_git_directory_are_not_read(
    folder: Path, tmp_path: Path, entry: str
) -> None:
    path = folder / ".git" / entry
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(UsageError, match=rf"{path}.*(special file|a named pipe)"):
        changes("HEAD")
    path.unlink()
    (tmp_path / "secret").write_text("machine example.com password abc\n")
    path.symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match=str(path)) as raised:
        changes("HEAD")
    assert "abc" not in str(raised.value)


@pytest.mark.parametrize("file", [".git", ".git/commondir", ".git/gitdir"])
def test_a_file_of_the_machine_is_not_quoted_as_the_name_of_a_git_directory(
    folder: Path, tmp_path: Path, file: str
) -> None:
    (tmp_path / "secret").write_text("machine example.com password abc\n")
    if file == ".git":
        (folder / ".git").rename(folder / "git")
    (folder / file).symlink_to(tmp_path / "secret")
    if file == ".git/gitdir":
        (folder / ".git" / "commondir").write_text("..\n")
    with pytest.raises(UsageError) as raised:
        changes("HEAD")
    assert "abc" not in str(raised.value)


@pytest.mark.parametrize("how", ["file", "link", "commondir", "separate"])
def test_a_git_directory_elsewhere_is_another_repository(
    folder: Path, git: Git, tmp_path: Path, how: str
) -> None:
    other = tmp_path / "other"
    write_commits(other)
    if how == "commondir":
        (folder / ".git" / "commondir").write_text(f"{other}/.git\n")
    elif how == "separate":
        git("init", "--quiet", f"--separate-git-dir={tmp_path}/separate")
    else:
        shutil.rmtree(folder / ".git")
        if how == "link":
            (folder / ".git").symlink_to(other / ".git")
        else:
            (folder / ".git").write_text(f"gitdir: {other}/.git\n")
    with pytest.raises(UsageError, match=r"leads out of the repository.*set GIT_DIR="):
        changes("HEAD")


def test_a_worktree_of_another_repository_is_not_taken_for_ones_own(
    folder: Path, tmp_path: Path
) -> None:
    other = write_commits(tmp_path / "other")
    other("worktree", "add", "--quiet", str(tmp_path / "worktree"), "-b", "x")
    shutil.rmtree(folder / ".git")
    shutil.copy(tmp_path / "worktree" / ".git", folder / ".git")
    with pytest.raises(UsageError, match="leads out of the repository"):
        changes("HEAD")


def test_the_working_tree_is_the_folder_of_the_git_directory(
    folder: Path, git: Git, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    git("config", "core.worktree", str(tmp_path / "other"))
    with Repository() as repository:
        assert repository.top == str(folder)


def test_objects_are_borrowed_from_elsewhere_only_if_the_user_says_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_in(tmp_path)("clone", "--quiet", "--shared", str(folder), "clone")
    clone = tmp_path / "clone"
    (clone / "job.yaml").write_text("4\n")
    monkeypatch.chdir(clone)
    with pytest.raises(UsageError, match=f"GIT_ALTERNATE_OBJECT_DIRECTORIES={folder}/.git/objects"):
        changes("HEAD")
    (clone / ".git" / "objects" / "info" / "alternates").unlink()
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", f"{folder}/.git/objects")
    assert changes("HEAD") == {"job.yaml": "3"}


def test_objects_are_borrowed_within_a_repository(folder: Path, git: Git) -> None:
    git("clone", "--quiet", "--bare", ".", ".git/pool")
    (folder / ".git" / "objects" / "info" / "alternates").write_text("../pool/objects\n")
    (folder / ".git" / "pool" / "objects" / "info" / "alternates").write_text("../../objects\n")
    for pack in (*(folder / ".git" / "objects").glob("??"),):
        shutil.rmtree(pack)
    assert changes("HEAD") == {"job.yaml": "3"}


# Bounds.


def test_a_git_command_that_takes_too_long_is_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_SECONDS", 2)
    os.mkfifo(folder / ".gitattributes")
    with pytest.raises(UsageError, match="--git-ref: git took longer than 2 s"):
        changes("HEAD")


def test_contents_are_read_in_groups_and_too_large_ones_left_out(
    folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"a": 400, "b": 400, "c": 400, "d": 1001, "e": 1000, "f": 0}
    for name, size in sizes.items():
        (folder / name).write_text(name * size)
    git("add", "--all")
    git("commit", "--quiet", "--message=Sizes")
    for name in sizes:
        (folder / name).write_text("x")
    monkeypatch.setattr("jobsworth.files.git.MAX_MANIFEST_BYTES", 1000)
    groups = []
    original = Repository._batch

    def counted(self: Repository, option: str, ids: object) -> bytes:
        answer = original(self, option, ids)  # type: ignore[arg-type]
        groups.append(len(answer))
        return answer

    monkeypatch.setattr(Repository, "_batch", counted)
    found = changes("HEAD")
    assert {name: len(text) for name, text in found.items()} == {
        "a": 400,
        "b": 400,
        "c": 400,
        "e": 1000,
        "f": 0,
    }
    assert len(groups) == 4
    assert max(groups) < 1200
