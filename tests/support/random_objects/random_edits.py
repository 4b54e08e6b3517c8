"""Random edits of random objects, such as fixes are made of."""

from __future__ import annotations

import random
from typing import Any

from jobsworth.findings.fix import Edit
from support.random_objects.random_texts import NAMES, value_from


def paths(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every path below a value, with what stands there."""
    found: list[tuple[str, Any]] = []
    steps: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        steps = [(f"{path}[{key}]", part) for key, part in value.items()]
    elif isinstance(value, list):
        steps = [(f"{path}[{index}]", part) for index, part in enumerate(value)]
    for step, part in steps:
        found.append((step, part))
        found += paths(part, step)
    return found


def edit_of(value: Any, seed: int) -> Edit:
    """An edit that could be one of a fix; some cannot be made."""
    rng = random.Random(seed)
    everything = paths(value)
    path, part = rng.choice(everything)
    action = rng.choice(("set", "set", "set", "delete", "rename", "move", "move", "insert", "add"))
    if action == "set":
        if isinstance(part, list) and len(part) > 1 and rng.random() < 0.7:
            shuffled = rng.sample(part, rng.randint(1, len(part)))
            return Edit("set", path, shuffled)
        return Edit("set", path, value_from(rng, depth=rng.choice((1, 2, 3))))
    if action == "delete":
        return Edit("delete", path)
    if action == "rename":
        return Edit("rename", path, rng.choice(NAMES))
    if action == "insert":
        lists = [(at, items) for at, items in everything if isinstance(items, list)]
        at, items = rng.choice(lists or [(path, [0])])
        return Edit("insert", f"{at}[{rng.randint(0, len(items))}]", value_from(rng, depth=2))
    target, holder = rng.choice([("", value), *everything])
    name = f".{rng.choice(('new', 'spec'))}" * rng.choice((1, 1, 2))
    if action == "add":
        return Edit("set", target + name, value_from(rng, depth=1))
    if rng.random() < 0.5:
        head, _, _ = path.rpartition("[")
        siblings = [at for at, _ in everything if at.rpartition("[")[0] == head]
        return Edit("move", path, rng.choice(siblings))
    if path.rpartition("[")[2].rstrip("]").isdecimal() and rng.random() < 0.5:
        if isinstance(holder, list):
            return Edit("move", path, f"{target}[{len(holder)}]")
        return Edit("move", path, f"{target + name}[0]")
    return Edit("move", path, target + name)
