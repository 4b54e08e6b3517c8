"""Simulations on the pages of rules: the bad and the good example of a rule in one scenario.

They are made when the pages are generated, with a fixed seed; ``jobsworth rule JW102`` does not run them.
Only rules whose examples end differently have one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.lint import pages
from jobsworth.lint.lint_rule import Rule
from jobsworth.manifests import read_text
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import summarize
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.runs.virtual_time import spoken
from jobsworth.validation.engine import engine_for

SEED = 1
SIDES = ("bad", "good")
COMMAND = "jobsworth simulate bad.yaml --compare good.yaml --scenario scenario.yaml"

_SPOT = """\
  pods:
    duration: 40m
  disruptions:
    - {cause: EvictionAPI, every: 8m, until: 1h}
"""


class RuleScenario(NamedTuple):
    """A scenario that shows what a rule is about.

    Attributes:
        story: what happens in it, as a sentence.
        spec: the spec of the JobScenario, as YAML.
    """

    story: str
    spec: str

    @property
    def text(self) -> str:
        """The scenario as a YAML document."""
        head = "apiVersion: jobsworth.dev/v1alpha1\nkind: JobScenario\nmetadata:\n  name: example\n"
        return f"{head}spec:\n{self.spec}"


SCENARIOS = {
    "JW101": RuleScenario(
        "The program finds a wrong configuration and exits with 42, each time.",
        "  pods:\n    cases:\n      - {duration: 10m, exitCode: 42}\n",
    ),
    "JW102": RuleScenario(
        "The node is drained after five minutes.",
        "  disruptions:\n    - {cause: EvictionAPI, at: 5m}\n",
    ),
    "JW103": RuleScenario(
        "The node is drained after five minutes, and the program does not stop within its grace period.",
        "  pods:\n    termination: 1m\n  disruptions:\n    - {cause: EvictionAPI, at: 5m}\n",
    ),
    "JW104": RuleScenario("Spot nodes are taken away every eight minutes of an hour.", _SPOT),
    "JW105": RuleScenario(
        "The service that the program needs is gone, so that it exits with 75 each time.",
        "  until: 24h\n  pods:\n    cases:\n      - {duration: 2m, exitCode: 75}\n",
    ),
    "JW106": RuleScenario(
        "The program needs more memory than its limit and is killed after five minutes, each time.",
        "  pods:\n    cases:\n      - {duration: 5m, exitCode: 137, reason: OOMKilled}\n",
    ),
    "JW109": RuleScenario(
        "The download fails in the first attempt.",
        "  pods:\n    cases:\n"
        "      - {attempts: 1, duration: 1m, exitCode: 1, container: download}\n",
    ),
    "JW115": RuleScenario("Spot nodes are taken away every eight minutes of an hour.", _SPOT),
    "JW116": RuleScenario("Spot nodes are taken away every eight minutes of an hour.", _SPOT),
    "JW118": RuleScenario(
        "The network fails once, and the program exits with 1.",
        "  pods:\n    cases:\n      - {attempts: 1, duration: 3m, exitCode: 1}\n",
    ),
    "JW119": RuleScenario(
        "One Pod in ten fails with exit code 1, such as by a lost connection.",
        "  pods:\n    cases:\n      - {probability: 0.1, duration: 3m, exitCode: 1}\n",
    ),
    "JW127": RuleScenario(
        "The cluster is scaled down twice.",
        "  disruptions:\n    - {cause: EvictionAPI, at: [5m, 12m]}\n",
    ),
    "JW201": RuleScenario(
        "The image does not exist, so that the Pod stays Pending.",
        "  until: 24h\n  pods:\n    startup: never\n",
    ),
    "JW202": RuleScenario(
        "The program hangs.",
        "  until: 24h\n  pods:\n    duration: never\n",
    ),
    "JW203": RuleScenario("The program runs for ten minutes and succeeds.", "  pods: {}\n"),
    "JW211": RuleScenario(
        "Each of the indexes 0 to 7 fails once.",
        '  pods:\n    cases:\n      - {indexes: "0-7", attempts: 1, duration: 2m, exitCode: 1}\n',
    ),
    "JW212": RuleScenario(
        "The input is broken, so that every index fails.",
        "  pods:\n    cases:\n      - {duration: 10m, exitCode: 1}\n",
    ),
    "JW213": RuleScenario(
        "The leader, index 0, has the result after twelve minutes; the other indexes take longer.",
        "  pods:\n    duration: 30m\n    cases:\n      - {indexes: 0, duration: 12m, exitCode: 0}\n",
    ),
    "JW220": RuleScenario(
        "Index 3 fails each time.",
        "  until: 24h\n  pods:\n    cases:\n      - {indexes: 3, duration: 2m, exitCode: 1}\n",
    ),
}
"""The scenario of each rule that has one."""


def simulation_section(rule: Rule) -> str:
    """Return the section of a rule's page; empty for a rule without a scenario."""
    scenario = SCENARIOS.get(rule.code)
    if scenario is None:
        return ""
    rows = "".join(
        f"| {name} | {_ended(record)} | {_after(record)} | {len(record.job.pods)} | "
        f"{spoken(summarize(record).used)} | {spoken(summarize(record).wasted)} |\n"
        for name, record in zip(SIDES, simulated_examples(rule), strict=True)
    )
    return f"""\
## In a simulation

{scenario.story}

| | the Job | after | Pods | Pod time | of it without success |
| --- | --- | --- | --- | --- | --- |
{rows}
Save the two examples and this scenario to see each Pod ([simulation](../simulate.md)):
`{COMMAND}`

```yaml
{scenario.text}```

"""


def simulated_examples(rule: Rule) -> list[RunRecord]:
    """Return a run of the bad and of the good example of a rule.

    Raises:
        KeyError: the rule has no scenario.
    """
    scenario = read_scenario(_only_document(SCENARIOS[rule.code].text))
    engine = engine_for(ApiServer(NEWEST_RELEASE))
    explained = pages.explanation(rule)
    return [
        run_once(engine.default(_only_document(text)), scenario, SEED)
        for text in (explained.bad, explained.good)
    ]


def _ended(record: RunRecord) -> str:
    job = record.job
    if job.terminal is None:
        return "is unfinished"
    return f"{'completes' if job.outcome == 'Complete' else 'fails'} ({job.reason})"


def _after(record: RunRecord) -> str:
    return spoken(record.end if record.job.finished is None else record.job.finished)


def _only_document(text: str) -> Any:
    (document,) = read_text(text.encode(), "example.yaml")
    return document.value
