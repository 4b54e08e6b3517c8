"""Rules for commands that delete or show more than is meant: of the cluster, of others, to everyone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.container_start import (
    ContainerStart,
    RunCommand,
    container_starts,
    literal_variables,
)
from jobsworth.lint.effects import (
    CLOUDS,
    KEPT_KINDS,
    LOSSES,
    PUBLIC,
    SQL_CLIENTS,
    Effects,
    backs_up,
    deletes_in_cloud,
    effects,
    listing,
    operands,
)
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.mounted_scripts import texts_read
from jobsworth.lint.neighbors import mapping, part, parts
from jobsworth.lint.risky_uses import RISKS, VARIABLES, risk_of
from jobsworth.lint.script_flow import MAX_COMMANDS, TESTS, constants, resolved
from jobsworth.lint.shell_script import ShellCommand
from jobsworth.lint.usual_programs import RESTORES

OF_CLUSTER = {
    **dict.fromkeys(("pv", "persistentvolume", "persistentvolumes"), "PersistentVolumes"),
    **dict.fromkeys(("ns", "namespace", "namespaces"), "Namespaces"),
    **dict.fromkeys(("no", "node", "nodes"), "Nodes"),
    **dict.fromkeys(("sc", "storageclass", "storageclasses"), "StorageClasses"),
    **dict.fromkeys(
        ("crd", "crds", "customresourcedefinition", "customresourcedefinitions"),
        "CustomResourceDefinitions",
    ),
    **dict.fromkeys(("clusterrole", "clusterroles"), "ClusterRoles"),
    **dict.fromkeys(("clusterrolebinding", "clusterrolebindings"), "ClusterRoleBindings"),
    **dict.fromkeys(("pc", "priorityclass", "priorityclasses"), "PriorityClasses"),
    **dict.fromkeys(("project", "projects"), "Projects"),
}
"""Kinds without a namespace, by the names that kubectl takes. Source: ``kubectl api-resources``."""
OF_NAMESPACE = frozenset(
    (
        "all", "cm", "configmap", "configmaps", "deploy", "deployment", "deployments", "job", "jobs",
        "persistentvolumeclaim", "persistentvolumeclaims", "po", "pod", "pods", "pvc", "secret", "secrets",
        "sts", "statefulset", "statefulsets",
    )
)  # fmt: skip
"""Kinds with a namespace that everybody has."""
PLACED = (
    "-n", "--namespace", "--context", "--kubeconfig", "-l", "--selector", "--field-selector",
)  # fmt: skip
"""Options that say where kubectl deletes, or what."""
REDIS_CLIENTS = ("keydb-cli", "redis-cli", "valkey-cli")
EVERYWHERE = ("-A", "--all-namespaces", "--all-namespaces=true")
ALL = ("--all", "--all=true")
FORGETTING = ("restic", "rustic")
GROUPED = ("--host", "-H", "--tag", "--path", "--group-by", "-g")
"""Options by which forget keeps to the snapshots of one source."""
REPOSITORY = ("RESTIC_REPOSITORY", "RESTIC_REPOSITORY_FILE", "RUSTIC_REPOSITORY")
MIRRORS = tuple(name for name, uses in LOSSES.items() if any(use.loss == "mirror" for use in uses))
MAX_SHOWN = 60
_SAVES = re.compile(
    r"backup|(?:^|[-_/.])(?:bak|dump|snapshot)s?(?:$|[-_/.])|\.(?:sql|dump)\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:redis|valkey)s?://[^/]+/\d+")
_CASCADES = re.compile(
    r"\bTRUNCATE\s+(?:TABLE\s+)?(?:ONLY\s+)?([^;]{0,500}?)\s+(?:RE\w+\s+IDENTITY\s+)?CASCADE\b",
    re.I,
)
_DELETES = re.compile(
    r"\bDELETE\s+FROM\s+([\w.\"`]+)\s+WHERE\s+((?:[^;']|'[^']*')*)", re.IGNORECASE
)
_AND, _OR = re.compile(r"\bAND\b", re.IGNORECASE), re.compile(r"\bOR\b", re.IGNORECASE)
_NEWER = re.compile(
    r"^\s*[\w.\"`]+\s*>=?\s*(?:now|current_\w+|getdate|curdate|sysdate|date_sub|dateadd)",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(?:now\(|current_(?:date|timestamp)|curdate\(|getdate\(|sysdate)", re.I)
_TRIAL = re.compile(
    r"(?:^|[-_./\s])(dev|development|preview|qa|sandbox|stage|staging|test|uat)(?=$|[-_./\s])"
)
"""A name of an environment in which data is only tried."""
_PRODUCTION = re.compile(r"(?:^|[-_./@:])(?:live|prod|production|prd)(?:$|[-_./:])")
_OPEN_PATTERN = re.compile(r"\^?(?:\w+/)?[a-z0-9-]*[a-z]")
"""A pattern of grep that is a name, and matches each longer one."""
_BRINGS_BACK = re.compile(r"restor|recover|seed|import|clone", re.IGNORECASE)


@lint_rule(
    "JW270",
    "deletes-more-than-meant",
    severity="warning",
    summary="A command deletes more than it seems to: of the cluster, of others, or by a wrong source.",
    needs=needs.a_program(
        "git",
        "kubectl",
        "oc",
        "xargs",
        *CLOUDS,
        *FORGETTING,
        *MIRRORS,
        *REDIS_CLIENTS,
        *RESTORES,
        *SQL_CLIENTS,
    ),
)
def deletes_more_than_meant(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.all_starts:
        for command in start.commands[:MAX_COMMANDS]:
            found = (
                _of_cluster(command.words)
                or _of_namespace(command.words)
                or _of_all_databases(command.words)
                or _of_statement(job, start, command)
                or _of_names(command)
                or _of_later_rows(start, command)
                or _of_volume(job, command)
                or _in_wrong_place(job, start, command)
                or _of_cloud(command.step)
                or _of_partial_clone(start, command)
                or _of_others(job, start, command)
                or _of_mirror(job, start, command)
            )
            if found:
                yield Diagnostic(command.field, found, line=command.line)
                break


def _of_cluster(words: Sequence[str]) -> str:
    """Return the message for a kubectl that deletes all objects of the cluster; empty for others."""
    name = words[0].rpartition("/")[2]
    if name not in ("kubectl", "oc"):
        return ""
    rest = operands(words)
    if rest[:1] != ["delete"] or len(rest) < 2:
        return ""
    if not any(word in ALL for word in words) or any(
        word.startswith("--dry-run") for word in words
    ):
        return ""
    kinds = rest[1].lower().split(",")
    wide = next((OF_CLUSTER[kind] for kind in kinds if kind in OF_CLUSTER), "")
    if wide:
        return (
            f"{wide} belong to no namespace: `{name} delete {rest[1][:MAX_SHOWN]} --all` deletes those of "
            "the whole cluster, whatever -n says. Select them by a label."
        )
    if any(word in EVERYWHERE for word in words):
        return (
            f"`{name} delete {rest[1][:MAX_SHOWN]} --all` with --all-namespaces deletes those of every "
            "namespace, also of the system. Name the namespace."
        )
    return ""


def _of_namespace(words: Sequence[str]) -> str:
    """Return the message for a kubectl that deletes all objects of a namespace; empty for others.

    Source: kubectl 1.36, pkg/cmd/apply/apply.go, Validate, and prune.go.
    """
    name = words[0].rpartition("/")[2]
    if name not in ("kubectl", "oc"):
        return ""
    rest = operands(words)
    options = {word.partition("=")[0] for word in words}
    if "--dry-run" in options:
        return ""
    if rest[:1] == ["apply"] and "--prune" in options and "--prune=false" not in words:
        if not options.isdisjoint(("-l", "--selector", "--applyset")):
            return ""
        if not any(word in ALL for word in words):
            return (
                f"`{name} apply --prune` fails without a selector and without --all, so that nothing is "
                "applied. Select by -l the objects that belong to these files."
            )
        if options.isdisjoint(("--prune-allowlist", "--prune-whitelist")):
            return (
                f"`{name} apply --prune --all` deletes each object of the namespace that was applied "
                "from other files, also claims. Select by -l those that belong to these files."
            )
    kind = rest[1].lower() if len(rest) == 2 and rest[0] == "delete" else ""
    if kind in OF_NAMESPACE and any(word in ALL for word in words) and options.isdisjoint(PLACED):
        return (
            f"`{name} delete {kind} --all` without -n deletes all of them in the namespace of the Job, also "
            "those of others. Name the namespace, or select by -l."
        )
    return ""


def _of_all_databases(words: Sequence[str]) -> str:
    """Return the message for a FLUSHALL of one database; empty for others. Source: redis.io, FLUSHALL."""
    name = words[0].rpartition("/")[2]
    if name not in REDIS_CLIENTS or "flushall" not in map(str.lower, operands(words)):
        return ""
    chosen = [each for each in words if _NUMBERED.fullmatch(each)]
    chosen += [f"-n {number}" for option, number in pairwise(words) if option == "-n"]
    if not chosen:
        return ""
    return (
        f"FLUSHALL empties every database of the server, not only that of `{chosen[0][:MAX_SHOWN]}`. "
        "Write FLUSHDB."
    )


def _of_statement(job: LintedJob, start: ContainerStart, command: RunCommand) -> str:
    """Return the message for SQL that empties or deletes more than it names; empty for others.

    Sources: PostgreSQL, TRUNCATE, and "Operator Precedence".
    """
    if command.name not in SQL_CLIENTS:
        return ""
    for text in texts_read(start, job.neighbors, job.namespace, command):
        if (found := _CASCADES.search(text)) is not None:
            tables = " ".join(found[1].split())
            return (
                f"TRUNCATE … CASCADE also empties each table that refers to {tables[:MAX_SHOWN]}, and those "
                "that refer to them. Name all tables to be emptied, without CASCADE."
            )
        for statement in _DELETES.finditer(text):
            table, where = statement[1], _without_parentheses(statement[2])
            if _AND.search(where) and _OR.search(where):
                return (
                    f"AND binds more tightly than OR: this deletes rows of {table[:MAX_SHOWN]} for which "
                    "only one side of the OR holds. Put the alternatives in parentheses."
                )
            if _NEWER.search(where) and not re.search(r"<|\bBETWEEN\b", where, re.IGNORECASE):
                return (
                    f"The condition is true for the newest rows of {table[:MAX_SHOWN]}: this deletes them "
                    "and keeps the old ones. Write < in place of >."
                )
    return ""


def _of_later_rows(start: ContainerStart, command: RunCommand) -> str:
    """Return the message for rows that are deleted by a time that is later than that of their export."""
    if command.name not in SQL_CLIENTS:
        return ""
    values = {} if start.script is None else constants(start, start.script)
    deletes = _DELETES.search(resolved(values, " ".join(command.words)))
    if deletes is None or not _CLOCK.search(deletes[2]):
        return ""
    for each in start.commands[: list(start.commands).index(command)]:
        text = resolved(values, " ".join(each.words))
        exports = re.search(r"\b(?:copy|outfile|select)\b", text, re.IGNORECASE)
        if each.name in SQL_CLIENTS and exports and deletes[1] in text and _CLOCK.search(text):
            return (
                f"now() is later here than for the export: rows of {deletes[1][:MAX_SHOWN]} that became "
                "old in between are deleted without being exported. Compute the time once, by date."
            )
    return ""


def _of_volume(job: LintedJob, command: RunCommand) -> str:
    """Return the message for a claim whose volume is deleted with it; empty for others.

    Source: Kubernetes, "Reclaiming": Delete removes the volume and its storage asset.
    """
    rest = operands(command.words)
    if command.name not in ("kubectl", "oc") or rest[:1] != ["delete"] or len(rest) < 3:
        return ""
    if rest[1] not in ("pvc", "persistentvolumeclaim", "persistentvolumeclaims"):
        return ""
    for volume in job.in_file("PersistentVolume"):
        names = (part(volume, "spec", "claimRef", "name"), part(volume, "metadata", "name"))
        if part(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" and rest[2] in names:
            return (
                f"The PersistentVolume {str(names[1])[:MAX_SHOWN]} has the reclaim policy Delete: its data "
                f"is deleted with the claim {rest[2][:MAX_SHOWN]}. Set Retain first."
            )
    return ""


def _in_wrong_place(job: LintedJob, start: ContainerStart, command: RunCommand) -> str:
    """Return the message for a store of production that a Job of another environment empties."""
    trial = _TRIAL.search(f"{job.name} {job.namespace}")
    loss = effects(command.words, command.step.input if command.step else "")
    if loss is None or loss.loss not in ("reset", "mirror", "schema") or trial is None:
        return ""
    hosts = [(name, value) for _, name, value in literal_variables(start.container)]
    sources = [part(each, "configMapRef", "name") for each in parts(start.container, "envFrom")]
    for each in job.in_file("ConfigMap"):
        if part(each, "metadata", "name") in sources:
            hosts += [(str(key), str(value)) for key, value in mapping(each, "data").items()]
    hosts += [("", word) for word in command.words[1:]]
    for name, value in hosts:
        if _PRODUCTION.search(value) and not _TRIAL.search(value) and value not in loss.sources:
            shown = f"{name}={value}" if name else value
            return (
                f"The Job belongs to {trial[1]}, and `{loss.shown}` deletes in {shown[:MAX_SHOWN]}, which "
                "looks like production. Correct one of the two."
            )
    return ""


def _without_parentheses(text: str) -> str:
    """Return a condition without what is in parentheses or quotes."""
    depth, kept = 0, []
    for each in re.split(r"([()])", re.sub(r"'[^']*'", "''", text)):
        if each == "(":
            depth += 1
        elif each == ")":
            depth -= 1
        elif depth <= 0:
            kept.append(each)
    return "".join(kept)


def _of_names(command: RunCommand) -> str:
    """Return the message for a deletion in a cluster of all that a list has, or of names that begin alike."""
    step = command.step
    words = list(command.words)
    inner = words[1:] if command.name == "xargs" else words
    at = next((index for index, word in enumerate(inner) if word in ("kubectl", "oc", "helm")), -1)
    if step is None or at < 0 or not {"delete", "uninstall"} & set(inner[at + 1 :]):
        return ""
    lists = [each for each in step.fed_by if each.name in ("kubectl", "oc", "helm")]
    lists = [each for each in lists if {"get", "list", "ls"} & set(each.words[1:4])]
    if not lists or step.conditions or step.before in ("&&", "||"):
        return ""
    filters = [each for each in step.fed_by if each.name in ("grep", "egrep", "awk", "jq", "sed")]
    filters += [each for each in step.fed_by if each.name in TESTS]
    kinds = {kind for word in operands(lists[-1].words)[1:2] for kind in word.split(",")}
    durable = sorted(kinds & KEPT_KINDS)
    names = [word for each in lists for word in each.words]
    if not durable or {"-l", "--selector", "--field-selector"} & {
        word.partition("=")[0] for word in names
    }:
        return ""
    if not filters and len(operands(lists[-1].words)) == 2 and "[?" not in " ".join(names):
        return (
            f"`{' '.join(lists[-1].words)[:MAX_SHOWN]}` lists all {durable[0]}, and each is deleted: nothing "
            "selects them. Select them by a label (-l)."
        )
    for each in filters:
        pattern = next((word for word in each.words[1:] if word[:1] != "-"), "")
        inverted = any(word[:1] == "-" and set("vxwE") & set(word) for word in each.words[1:])
        if each.name.endswith("grep") and not inverted and _OPEN_PATTERN.fullmatch(pattern):
            return (
                f"`grep {pattern[:MAX_SHOWN]}` also matches longer names that contain it, and each "
                "is deleted. Match the whole name, as by '^preview-[0-9]+$', or select by a label."
            )
    return ""


def _of_cloud(step: ShellCommand | None) -> str:
    """Return the message for a deletion of all that a cloud CLI lists; empty for others."""
    cloud = deletes_in_cloud(step.words) if step is not None else ""
    if not cloud or step is None or step.conditions or step.before in ("&&", "||"):
        return ""
    sources = [(each, listing(each.words, cloud)) for each in step.fed_by if each.words]
    lists = [each for each, objects in sources if objects == "all"]
    if not lists or any(objects == "some" for _, objects in sources):
        return ""
    listed = " ".join((cloud, *operands(lists[-1].words)))
    return (
        f"`{listed[:MAX_SHOWN]}` lists all that the account or project has, and each is deleted: nothing "
        f"selects them. Add {CLOUDS[cloud]}."
    )


def _of_partial_clone(start: ContainerStart, command: RunCommand) -> str:
    """Return the message for a mirror of a plain clone; empty for others.

    Source: git push, --mirror and --prune: refs that the clone lacks are deleted.
    """
    words = command.words
    option = next((each for each in ("--mirror", "--prune") if each in words), "")
    if command.name != "git" or "push" not in words or not option:
        return ""
    before = start.commands[: start.commands.index(command)]
    clones = [each for each in before if each.name == "git" and "clone" in each.words]
    if not clones or any("refs/" in word for each in before for word in each.words):
        return ""
    if not {"--mirror", "--bare"}.isdisjoint(clones[-1].words):
        return ""
    return (
        f"`git push {option}` deletes the branches and tags that this clone lacks, and a plain clone has one "
        "branch of its own. Clone with --mirror."
    )


def _of_others(job: LintedJob, start: ContainerStart, command: RunCommand) -> str:
    """Return the message for a forget that other CronJobs with the same repository suffer from."""
    words = command.words
    if command.name not in FORGETTING or "forget" not in words or "--dry-run" in words:
        return ""
    if any(word.startswith(GROUPED) for word in words) or not _keeps_by_rule(words):
        return ""
    own = _repositories(start.container)
    for other in job.in_file("CronJob"):
        pod = mapping(other, "spec", "jobTemplate", "spec", "template", "spec")
        for container in parts(pod, "containers"):
            if own and own & _repositories(container) and _runs(container, FORGETTING):
                name = str(part(other, "metadata", "name") or "")
                return (
                    f"The CronJob {name[:MAX_SHOWN]} has its snapshots in the same repository, and "
                    f"{command.name} forget without --host, --tag or --path applies its policy to them, too. "
                    "Add --host."
                )
    return ""


def _keeps_by_rule(words: Sequence[str]) -> bool:
    return any(word.startswith("--keep-") for word in words)


def _runs(container: dict[str, Any], programs: Sequence[str]) -> bool:
    """Return True if a container as read runs one of these programs."""
    line = {
        key: [str(word) for word in container.get(key) or ()]
        for key in ("command", "args")
        if isinstance(container.get(key), list)
    }
    (start,) = container_starts([("", {"image": str(container.get("image", "")), **line})], {})
    return any(each.name in programs for each in start.commands)


def _repositories(container: dict[str, Any]) -> set[str]:
    """Return what tells the repository of a container: the value or the source of its variable."""
    found = {
        str(each.get("value") or sorted(mapping(each, "valueFrom").items()))
        for each in parts(container, "env")
        if each.get("name") in REPOSITORY
    }
    if found:
        return found
    return {
        f"{kind}/{part(each, kind, 'name')}"
        for each in parts(container, "envFrom")
        for kind in ("configMapRef", "secretRef")
        if kind in each
    }


def _of_mirror(job: LintedJob, start: ContainerStart, command: RunCommand) -> str:
    """Return the message for a mirror whose source is probably not the one that is meant."""
    loss = effects(command.words)
    if loss is None or loss.loss != "mirror" or len(loss.sources) != 1:
        return ""
    values = {} if start.script is None else constants(start, start.script)
    source, *targets = (resolved(values, each) for each in (*loss.sources, *loss.targets[:1]))
    return _of_empty_source(job, start, command, loss, source) or (
        _reversed(job, start, loss, source, targets[0]) if targets else ""
    )


def _of_empty_source(
    job: LintedJob, start: ContainerStart, command: RunCommand, loss: Effects, source: str
) -> str:
    """Return the message for a mirror of an emptyDir to which nothing has written."""
    place = start.place(source) if source.startswith("/") else None
    if place is None or "emptyDir" not in place.volume:
        return ""
    name, folder = place.volume.get("name"), place.mount.get("mountPath", "").rstrip("/")
    others = [
        mount
        for path, container in job.containers
        if path != start.path
        for mount in container.get("volumeMounts", ())
        if mount.get("name") == name and not mount.get("readOnly")
    ]
    if (
        others
        or _is_written(start, command, folder)
        or any(other.path == start.path and other is not start for other in job.mounted)
    ):
        return ""
    target = loss.targets[0][:MAX_SHOWN] if loss.targets else "its target"
    return (
        f"{source[:MAX_SHOWN]} is in the emptyDir {name}, to which no container writes: `{loss.shown}` "
        f"deletes all of {target}, since the source has no files. Mount the volume with the data."
    )


def _reversed(
    job: LintedJob, start: ContainerStart, loss: Effects, source: str, target: str
) -> str:
    """Return the message for a mirror from a backup to what it should save; empty for others."""
    text = f"{job.name} {start.container.get('name', '')}"
    saves = job.cron is not None and _SAVES.search(text) and not _BRINGS_BACK.search(text)
    if not saves or not _SAVES.search(source) or _SAVES.search(target) or "$" in target:
        return ""
    return (
        f"`{loss.shown}` makes {target[:MAX_SHOWN]} like {source[:MAX_SHOWN]}: it deletes what the backup "
        "lacks, such as all data since the last one. The source is the first operand: exchange the two."
    )


@lint_rule(
    "JW272",
    "backup-for-everyone",
    severity="warning",
    summary="A backup or dump is uploaded so that everyone can read it.",
    needs=needs.a_program(*PUBLIC),
)
def backup_for_everyone(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.all_starts:
        for command in start.commands[:MAX_COMMANDS]:
            word = next(
                (each for each in command.words if each in PUBLIC.get(command.name, ())), ""
            )
            opens = command.name != "mc" or not {"anonymous", "policy"}.isdisjoint(command.words)
            if word and opens and _brings_backup(start, command):
                yield Diagnostic(
                    command.field,
                    f"With {word}, everyone on the internet can read what `{command.name}` uploads, and "
                    f"it is a backup. Remove {word}, and keep the bucket private.",
                    line=command.line,
                )
                break


def _brings_backup(start: ContainerStart, command: RunCommand) -> bool:
    named = _SAVES.search(" ".join(command.words)) is not None
    return named or any(backs_up(each.words) for each in start.commands)


def _is_written(start: ContainerStart, command: RunCommand, folder: str) -> bool:
    """Return True if a script names the folder of a volume in an earlier line, or changes to a folder."""
    if start.script is None:
        return False
    for each in start.commands[: list(start.commands).index(command)]:
        outputs = each.step.outputs if each.step is not None else ()
        if each.name in ("cd", ".", "source") or folder in " ".join((*each.words, *outputs)):
            return True
    return False


@lint_rule(
    "JW277",
    "risky-use",
    severity="warning",
    summary="A command has an option, operand or variable whose effect is worse than it seems.",
    needs=needs.a_program_or_variables(*RISKS),
)
def risky_use(job: LintedJob) -> Iterator[Diagnostic]:
    for command in job.commands[:MAX_COMMANDS]:
        found = risk_of(command.words)
        if found is not None:
            use, effect, advice = found
            yield Diagnostic(command.field, f"`{use}` {effect}. {advice}", line=command.line)
    for path, container in job.containers:
        for index, name, value in literal_variables(container):
            pattern, effect = VARIABLES.get(name, ("", ""))
            if pattern and re.fullmatch(pattern, value):
                yield Diagnostic(
                    f"{path}.env[{index}].value", f"{name}={value[:MAX_SHOWN]} {effect}. Remove it."
                )
