"""Rules that compare the amounts in one Pod: memory, scratch space, devices and threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.lint import needs
from jobsworth.lint.container_start import RunCommand, literal_variables, option_values
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from kube_cel.formats.quantity import parse

JAVA_VARIABLES = (
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JAVA_ARGS",
)
"""Variables with options of the JVM. Start scripts read the first and the last, the JVM the others."""

_HEAP = re.compile(r"-Xmx(\d{1,12})([kKmMgGtT]?)(?![\w.])")
_NODE_HEAP = re.compile(r"--max[-_]old[-_]space[-_]size[= ](\d{1,9})(?!\w)")
_GO_LIMIT = re.compile(r"(\d{1,15})(B|KiB|MiB|GiB|TiB)")
_UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

GPUS = ("nvidia.com/gpu", "amd.com/gpu")
GPU_COUNTS = frozenset(
    (
        "gpus",
        "gpus_per_node",
        "n_gpus",
        "nproc_per_node",
        "num_gpus",
        "tensor_parallel_size",
        "tp_size",
    )
)
"""Options with the number of GPUs that one Pod uses, in small letters and with underscores."""

THREAD_VARIABLES = frozenset(
    (
        "GOMAXPROCS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "TBB_NUM_THREADS",
    )
)  # fmt: skip

LOADER_COUNTS = frozenset(
    (
        "dataloader_num_workers", "dataloader_workers", "loader_workers", "num_data_workers",
        "num_dataloader_workers", "num_loader_workers", "num_workers",
    )
)  # fmt: skip
"""Options with the number of processes that load data for one training process."""
LOADERS_OF_SCRIPTS = frozenset(("workers",))
"""Options with that number in the examples of PyTorch; other programs mean threads or servers by them."""
LAUNCHERS = ("accelerate", "torchrun")
"""Programs that run a Python script, with its options, in several processes."""
PROCESS_COUNTS = frozenset(("nproc_per_node", "num_processes", "tensor_parallel_size", "tp_size"))
"""Options with the number of processes of one Pod that exchange data on its GPUs."""
SHARED_MEMORY = "/dev/shm"
DEFAULT_SHARED_MEMORY = 64 * 2**20
"""The size in bytes of /dev/shm that containerd and CRI-O give each Pod."""

MAX_DIGITS = 9
"""The number of digits of a count that is compared."""


@lint_rule(
    "JW510",
    "heap-exceeds-limit",
    severity="warning",
    summary="The heap that a program may use is not smaller than the memory limit of its container.",
    confidence="certain",
    needs=needs.a_limit("memory"),
    pods=True,
)
def heap_exceeds_limit(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        limit = _limit(container, "memory")
        if limit is None:
            continue
        for field, option, size in _heaps(path, container):
            if size >= limit:
                yield Diagnostic(
                    field,
                    f"{option} allows a heap of {_mebibytes(size)}, and the memory limit of the "
                    f"container is {_mebibytes(limit)}: the kernel kills the program (exit code 137) "
                    "before it runs its garbage collector. Leave a fifth of the limit to memory "
                    "outside of the heap.",
                )


def _heaps(path: str, container: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Yield the field, the option and the bytes of each maximum of a heap."""
    for index, name, value in literal_variables(container):
        field = f"{path}.env[{index}].value"
        if name in JAVA_VARIABLES:
            yield from ((field, text, size) for text, size in _java(value))
        elif name == "NODE_OPTIONS":
            yield from ((field, text, size) for text, size in _node(value))
        elif name == "GOMEMLIMIT":
            found = _GO_LIMIT.fullmatch(value)
            if found:
                yield field, f"GOMEMLIMIT={value}", int(found[1]) * _UNITS[found[2][:1]]
    for part in ("command", "args"):
        for index, word in enumerate(container.get(part, ())):
            if "-Xmx" in word or "space" in word:
                field = f"{path}.{part}[{index}]"
                yield from ((field, text, size) for text, size in (*_java(word), *_node(word)))


def _java(text: str) -> Iterator[tuple[str, int]]:
    *_, last = (None, *_HEAP.finditer(text))  # the last one applies
    if last is not None:
        yield last[0], int(last[1]) * _UNITS[last[2].upper()]


def _node(text: str) -> Iterator[tuple[str, int]]:
    *_, last = (None, *_NODE_HEAP.finditer(text))
    if last is not None:
        yield last[0], int(last[1]) * 2**20


@lint_rule(
    "JW511",
    "memory-volume-exceeds-limit",
    severity="warning",
    summary="The files of a memory-backed volume count as memory, and may exceed the memory limit.",
    confidence="certain",
    needs=needs.a_limit("memory"),
    pods=True,
)
def memory_volume_exceeds_limit(job: LintedJob) -> Iterator[Diagnostic]:
    for index, volume in enumerate(job.pod.get("volumes", ())):
        folder = volume.get("emptyDir")
        if not folder or folder.get("medium") != "Memory" or "sizeLimit" not in folder:
            continue
        size = _bytes(folder["sizeLimit"])
        for _, container in job.containers:
            limit = _limit(container, "memory")
            mounts = {mount.get("name") for mount in container.get("volumeMounts", ())}
            if limit is None or volume.get("name") not in mounts or size is None or size <= limit:
                continue
            yield Diagnostic(
                f"{job.pod_path}.volumes[{index}].emptyDir.sizeLimit",
                f"The volume may hold {_mebibytes(size)}, but its files count as memory of the "
                f"container that writes them, and {container.get('name', '')} has a memory limit of "
                f"{_mebibytes(limit)}: it is killed (exit code 137) before the volume is full. Set a "
                "sizeLimit below the memory limit.",
            )
            break


@lint_rule(
    "JW512",
    "volume-exceeds-ephemeral-storage",
    severity="warning",
    summary="The sizeLimit of an emptyDir is larger than the ephemeral storage of the Pod.",
    confidence="certain",
    needs=needs.a_limit("ephemeral-storage"),
    pods=True,
)
def volume_exceeds_ephemeral_storage(job: LintedJob) -> Iterator[Diagnostic]:
    if "volumes" not in job.pod:
        return
    limits = [_limit(container, "ephemeral-storage") for _, container in job.containers]
    if not limits or None in limits:
        return  # only a Pod whose containers all have a limit has one
    total = sum(limit for limit in limits if limit is not None)
    for index, volume in enumerate(job.pod.get("volumes", ())):
        folder = volume.get("emptyDir")
        if not folder or folder.get("medium") or "sizeLimit" not in folder:
            continue
        size = _bytes(folder["sizeLimit"])
        if size is not None and size > total:
            yield Diagnostic(
                f"{job.pod_path}.volumes[{index}].emptyDir.sizeLimit",
                f"The volume may hold {_mebibytes(size)}, but it counts as ephemeral storage, of which the "
                f"Pod's limit is {_mebibytes(total)}: the kubelet evicts the Pod before the volume is "
                "full. Raise limits.ephemeral-storage, or use a claim.",
            )


@lint_rule(
    "JW513",
    "device-count",
    severity="warning",
    summary="An option or variable names more GPUs than the container gets.",
    needs=needs.a_limit(*GPUS),
    pods=True,
)
def device_count(job: LintedJob) -> Iterator[Diagnostic]:
    for command in job.commands:
        granted = _devices(command.container)
        if granted is None:
            continue
        for name, value in command.options:
            if name in GPU_COUNTS and _digits_value(value) > granted:
                yield _too_many_devices(
                    command.field, f"--{name.replace('_', '-')} {value}", granted
                )
    for path, container in job.containers:
        granted = _devices(container)
        for index, name, value in literal_variables(container):
            if name == "CUDA_VISIBLE_DEVICES" and granted is not None:
                numbers = [_digits_value(part.strip()) for part in value.split(",")]
                if max(numbers, default=-1) >= granted:
                    yield _too_many_devices(
                        f"{path}.env[{index}].value", f"{name}={value}", granted
                    )


def _too_many_devices(field: str, what: str, granted: int) -> Diagnostic:
    shown = what if len(what) <= 60 else f"{what[:60]}…"
    return Diagnostic(
        field,
        f"{shown} needs more GPUs than the {granted} of the container, which are numbered from 0. Set the "
        "limit to the number that the program uses.",
    )


def _devices(container: dict[str, Any]) -> int | None:
    limits = container.get("resources", {}).get("limits", {})
    found = [_bytes(limits[name]) for name in GPUS if name in limits]
    return found[0] if found else None


@lint_rule(
    "JW514",
    "visible-devices",
    severity="warning",
    summary="NVIDIA_VISIBLE_DEVICES bypasses the assignment of GPUs to containers.",
    confidence="certain",
    needs=needs.variables,
    pods=True,
)
def visible_devices(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        for index, name, value in literal_variables(container):
            if name == "NVIDIA_VISIBLE_DEVICES" and value not in ("void", "none"):
                yield Diagnostic(
                    f"{path}.env[{index}]",
                    f"With NVIDIA_VISIBLE_DEVICES={value[:20]} the container gets these GPUs of the "
                    "node, also those that are assigned to other Pods. Remove the variable, and set "
                    "the limit nvidia.com/gpu.",
                )


@lint_rule(
    "JW524",
    "small-shared-memory",
    severity="warning",
    summary="Processes of a training exchange data in /dev/shm, which has its default of 64 MiB.",
    needs=needs.a_limit(*GPUS),
    pods=True,
)
def small_shared_memory(job: LintedJob) -> Iterator[Diagnostic]:
    if job.pod.get("hostIPC"):
        return
    for start in job.starts:
        sharing = next(filter(None, map(_sharing, start.commands)), "")
        if not sharing or not _devices(start.container):
            continue
        place = start.place(SHARED_MEMORY)
        field, has = f"{start.path}.volumeMounts", "has the default of 64 MiB"
        if not place.of_image:
            folder = place.volume.get("emptyDir", {})
            size = _bytes(folder["sizeLimit"]) if "sizeLimit" in folder else None
            if size is None or size > DEFAULT_SHARED_MEMORY:
                continue
            at = job.pod["volumes"].index(place.volume)
            field = f"{job.pod_path}.volumes[{at}].emptyDir.sizeLimit"
            has = f"has {_mebibytes(size)}"
        yield Diagnostic(
            field,
            f"With {sharing}, processes exchange data in /dev/shm, which {has}: they end with a bus error "
            "(SIGBUS) when it is full. Mount an emptyDir with medium: Memory there, of some GiB within the "
            "memory limit.",
        )


def _sharing(command: RunCommand) -> str:
    """Return the option by which a command starts processes that share memory; empty if there is none."""
    names = LOADER_COUNTS | PROCESS_COUNTS
    if command.name.startswith("python") or command.name in LAUNCHERS:
        names |= LOADERS_OF_SCRIPTS
    for name, value in option_values(command.words):
        if name in names and _digits_value(value) >= (2 if name in PROCESS_COUNTS else 1):
            return f"--{name.replace('_', '-')} {value}"
    return ""


@lint_rule(
    "JW515",
    "more-threads-than-cpus",
    severity="info",
    summary="A program starts more threads than its CPU limit can run.",
    needs=needs.a_limit("cpu"),
    pods=True,
)
def more_threads_than_cpus(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        limits = container.get("resources", {}).get("limits", {})
        if "cpu" not in limits:
            continue
        milli = parse(limits["cpu"]).milli_value()
        for index, name, value in literal_variables(container):
            if name in THREAD_VARIABLES and _digits_value(value) * 1000 > max(milli, 1000):
                yield Diagnostic(
                    f"{path}.env[{index}].value",
                    f"{value} threads share {milli / 1000:g} CPUs: they are throttled together, and "
                    "finish later than fewer threads would. Set the number of threads to the CPU "
                    "limit.",
                )


def _digits_value(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else -1


def _limit(container: dict[str, Any], resource: str) -> int | None:
    limits = container.get("resources", {}).get("limits", {})
    return _bytes(limits[resource]) if resource in limits else None


def _bytes(quantity: Any) -> int | None:
    size = parse(quantity).value()
    return size if size > 0 else None


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.0f} MiB"
