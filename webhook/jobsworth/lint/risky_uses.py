"""Uses of usual programs whose effect is worse than it seems: one table of options, operands and variables.

Sources: the manual pages and reference documentation of the programs, in November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jobsworth.lint.effects import Use, is_use, operands
from jobsworth.record import Record


class Risk(Record):
    """A use of a program with its effect.

    Attributes:
        use: the use: its subcommands, the options of which it needs one, and those without the risk.
        effect: what happens, as the rest of a sentence that begins with the use.
        instead: what to do, as a sentence.
        operands: matches the operands behind the subcommands that have the risk; None for all.
        words: matches the words of the command with the risk; None for all.
    """

    use: Use
    effect: str
    instead: str
    operands: re.Pattern[str] | None = None
    words: re.Pattern[str] | None = None


def _risk(
    subcommands: str,
    options: str,
    effect: str,
    instead: str,
    *,
    spared: str = "",
    operands: str = "",
    words: str = "",
) -> Risk:
    use = Use("files", tuple(subcommands.split()), tuple(options.split()), tuple(spared.split()))
    patterns = (re.compile(each) if each else None for each in (operands, words))
    return Risk(use, effect, instead, *patterns)


_DELETES_ON_ERRORS = "deletes at the target although the source could not be read or listed"
_FAIL = "Remove the option: an error then ends the run before it deletes."
_PREFIX = "deletes every key with this prefix, including others such as {0}-2"
_SLASH = "End it with a slash."
_OF_RUNNING = "also removes the lock of a run that is still going on"
_STALE = "Remove the option: only stale locks are removed without it."
_WITHOUT_LOCK = "changes the state although another run may do so at the same time"
_VOLUMES = "deletes the volumes that no container uses at the moment, with their data"
_ZEROES = "throws away what was not written yet, and may damage the data"
_COPY_FIRST = "Take a copy of the data before, by hand."
_EVERY_INDEX = r"(?:^|\s)(?:\S*://\S+/)(?:_all|\*|_data_stream/\*)/?(?:\s|$)"
_DOCKER = (
    _risk("volume prune", "-a --all", _VOLUMES, "Select them by --filter."),
    _risk("system prune", "--volumes", _VOLUMES, "Remove --volumes."),
)
_TERRAFORM = (
    _risk("apply", "-lock=false --lock=false", _WITHOUT_LOCK, "Remove -lock=false."),
    _risk("destroy", "-lock=false --lock=false", _WITHOUT_LOCK, "Remove -lock=false."),
    _risk("force-unlock", "", _OF_RUNNING, "Look at the lock by hand."),
)
_KAFKA = (
    _risk(
        "", "--all-topics --all-groups", "sets the offsets of every topic or group, also of others",
        "Name the group and the topic.",
    ),
)  # fmt: skip
_REDIS = (
    _risk("keys", "", "reads all keys in one step, and blocks all other clients meanwhile",
          "Use --scan with --pattern."),
)  # fmt: skip

_MYSQL = (_risk("", "--force", "goes on after an error, and ends with 0", "Remove the option."),)

RISKS: dict[str, tuple[Risk, ...]] = {
    "rclone": (_risk("sync", "--ignore-errors", _DELETES_ON_ERRORS, _FAIL),),
    "rsync": (
        _risk("", "--ignore-errors", _DELETES_ON_ERRORS, _FAIL,
              words=r"(?:^|\s)--(?:del|delete\S*)(?:\s|$)"),
    ),
    "registry": (
        _risk("garbage-collect", "--delete-untagged -m",
              "deletes the manifest of each platform of a multi-arch image, which has no tag",
              "Remove the option."),
    ),
    "restic": (
        _risk("unlock", "--remove-all", _OF_RUNNING, _STALE),
        _risk("forget", "", "counts the snapshots of all hosts and paths together",
              "Group by host and paths, which is the default.",
              words=r"\s(?:--group-by|-g)(?:=(?:\s|$)|\s(?:\s|$))"),
        _risk("forget", "--unsafe-allow-remove-all", "may delete all snapshots", "Add --keep-last."),
    ),
    "consul": (_risk("kv delete", "-recurse", _PREFIX, _SLASH, operands=r"^[^\s]*[^/\s]$"),),
    "etcdctl": (_risk("del", "--prefix", _PREFIX, _SLASH, operands=r"^[^\s]*[^/\s]$"),),
    "docker": _DOCKER, "nerdctl": _DOCKER, "podman": _DOCKER,
    "terraform": _TERRAFORM, "tofu": _TERRAFORM,
    "pg_resetwal": (_risk("", "", _ZEROES, _COPY_FIRST, spared="-n --dry-run"),),
    "xfs_repair": (_risk("", "-L", _ZEROES, _COPY_FIRST),),
    "redis-cli": _REDIS, "valkey-cli": _REDIS,
    "kafka-consumer-groups": _KAFKA, "kafka-consumer-groups.sh": _KAFKA,
    "aws": (
        _risk("s3 rm", "--include", "deletes everything: each object is included without --exclude",
              "Write --exclude '*' before it.", spared="--exclude --dryrun"),
    ),
    "pg_basebackup": (
        _risk("", "", "copies no WAL: unless the server archives it, the backup is not consistent",
              "Use --wal-method=stream.", words=r"\s(?:-X\s*|--wal-method[= ])n(?:one)?(?:\s|$)"),
    ),
    "velero": (
        _risk("backup delete", "--all", "deletes every backup, also of other schedules",
              "Name the backups, or select them by -l."),
    ),
    "git": (
        _risk("push", "--force -f", "replaces what others have pushed to the branch since",
              "Use --force-with-lease.", spared="--dry-run --force-with-lease",
              operands=r"(?:^|[\s:+/])(?:main|master|production|release)$"),
    ),
    "tar": (
        _risk("", "--ignore-failed-read", "ends with 0 although files that it cannot read are missing",
              "Remove the option."),
    ),
    "mysql": _MYSQL, "mariadb": _MYSQL,
    "kubectl": (
        _risk("replace", "--force", "deletes each object, and what belongs to it, before it makes a new one",
              "Use apply.", spared="--dry-run"),
        _risk("delete", "--field-selector=status.phase!=Running status.phase!=Running",
              "also deletes the Pods that wait for a node or an image",
              "Select status.phase==Failed or status.phase==Succeeded.", spared="--dry-run"),
    ),
    "curl": (
        _risk("", "DELETE", "deletes every index of the server", "Name the index.", operands=_EVERY_INDEX),
    ),
}  # fmt: skip
"""The uses of programs with a risk."""

VARIABLES: dict[str, tuple[str, str]] = {
    "SPRING_JPA_HIBERNATE_DDL_AUTO": (r"create(?:-drop)?", "drops the tables of the database at each start"),
    "SPRING_JPA_PROPERTIES_HIBERNATE_HBM2DDL_AUTO": (
        r"create(?:-drop)?", "drops the tables of the database at each start",
    ),
    "RCLONE_IGNORE_ERRORS": (r"(?i)true|1", _DELETES_ON_ERRORS),
    "FLYWAY_CLEAN_ON_VALIDATION_ERROR": (r"(?i)true", "empties the schema if a migration was edited"),
    "DISABLE_DATABASE_ENVIRONMENT_CHECK": (r"1|true", "lets Rails empty a database of production"),
    "TYPEORM_SYNCHRONIZE": (r"(?i)true", "drops the columns that the entities lack"),
}  # fmt: skip
"""Variables of usual programs, with a pattern of their values and the effect."""


def risk_of(words: Sequence[str]) -> tuple[str, str, str] | None:
    """Return the use, the effect and the advice for a command with a risk; None for another.

    >>> risk_of(["rclone", "sync", "a:b", "c:d", "--ignore-errors"])[0]
    'rclone sync --ignore-errors'
    >>> risk_of(["consul", "kv", "delete", "-recurse", "a/b/"])
    """
    name = words[0].rpartition("/")[2] if words else ""
    for risk in RISKS.get(name, ()):
        given = operands(words)
        rest = given[len(risk.use.words) :]
        if not is_use(risk.use, words, given):
            continue
        if risk.operands is not None and not risk.operands.search(" ".join(rest)):
            continue
        if risk.words is not None and not risk.words.search(" ".join(words)):
            continue
        option = next((each for each in risk.use.options if each in words), "")
        shown = " ".join(filter(None, (name, *risk.use.words, option)))
        return shown, risk.effect.replace("{0}", rest[-1][:40] if rest else ""), risk.instead
    return None
