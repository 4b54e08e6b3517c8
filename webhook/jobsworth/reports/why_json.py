"""A diagnosis as the report that :mod:`jobsworth.reports.why_report` declares."""

from __future__ import annotations

import json

from jobsworth.controller.times import write_time
from jobsworth.documents.declared import json_value
from jobsworth.printable import printable_json
from jobsworth.reports import why_report as report
from jobsworth.reports.report_parts import event_report, rounded, time_text, waiting_report
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.replay.planner_replay import Replay, ReplayedFailure
from jobsworth.runs.replay.policy_comparison import PolicyComparison
from jobsworth.runs.rule_wording import requirement, rule_name
from jobsworth.runs.why.answer import Answer
from jobsworth.runs.why.comparison_words import consequences, divergence
from jobsworth.runs.why.decisions import decision, limits
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.failure_groups import FailureGroup, matched_rules
from jobsworth.runs.why.owners.cron_job_diagnosis import CronJobDiagnosis
from jobsworth.runs.why.pod_table import how_it_ended, pod_rows

MAX_NAMES, MAX_EVENTS = 100, 50


def render(answer: Answer) -> str:
    """Render a diagnosis as one object."""
    value = {"version": report.VERSION, **json_value(why_report(answer))}
    return printable_json(json.dumps(value, indent=2, ensure_ascii=False))


def why_report(answer: Answer) -> report.WhyReport:
    """Return the report about a Job, CronJob or JobSet."""
    found = answer.diagnosis
    if isinstance(found, Diagnosis):
        return _job(found, answer)
    job = None if found.job is None else _job(found.job, answer)
    if isinstance(found, CronJobDiagnosis):
        return report.CronJobReport(
            namespace=found.namespace or None,
            name=found.name,
            uid=found.uid or None,
            cause=found.cause,
            sentence=found.sentence,
            runs=[
                report.Run(
                    name=each.name,
                    scheduled=write_time(each.scheduled),
                    by_hand=each.by_hand,
                    state=each.state,
                    reason=each.reason or None,
                    ended=time_text(each.ended),
                )
                for each in found.runs[:MAX_NAMES]
            ],
            missed=time_text(found.missed),
            next_run=time_text(found.next_run),
            events=[event_report(each) for each in found.events[-MAX_EVENTS:]],
            job=job,
        )
    return report.JobSetReport(
        namespace=found.namespace or None,
        name=found.name,
        uid=found.uid or None,
        cause=found.cause,
        sentence=found.sentence,
        outcome=found.outcome,
        reason=found.reason or None,
        restarts=found.restarts,
        jobs=[
            report.ChildJob(
                name=each.name,
                replicated_job=each.replicated_job or None,
                failed=time_text(each.failed_at),
                complete=each.complete,
                suspended=each.suspended,
                pods_not_ready=each.stalled,
            )
            for each in found.jobs[:MAX_NAMES]
        ],
        job=job,
    )


def _job(diagnosis: Diagnosis, answer: Answer) -> report.JobReport:
    recording = diagnosis.recording
    status = recording.job.status
    end = recording.end
    return report.JobReport(
        namespace=recording.job.namespace or None,
        name=recording.job.name,
        uid=recording.job.uid or None,
        cause=diagnosis.cause,
        sentence=diagnosis.sentence,
        outcome=diagnosis.outcome,
        reason=diagnosis.reason or None,
        created=write_time(recording.created),
        finished=None if end is None else time_text(end.finished),
        status=report.Status(
            active=status.active,
            ready=status.ready,
            terminating=status.terminating,
            succeeded=status.succeeded,
            failed=status.failed,
            completed_indexes=status.completed_indexes or None,
            failed_indexes=status.failed_indexes or None,
        ),
        failures=[_failure(each) for each in diagnosis.groups],
        waiting=None if diagnosis.waiting is None else waiting_report(diagnosis.waiting, rounded),
        pods=[report.Row(**each._asdict()) for each in pod_rows(diagnosis)],
        all_pods_read=not recording.partial,
        rules=[
            report.Rule(
                name=name,
                action=rule.action,
                requirement=requirement(rule),
                matched=matched,
                place=answer.rule_places.get(name),
            )
            for name, rule, matched in matched_rules(recording.job, diagnosis.groups)
        ],
        logs=[
            report.Log(
                pod=each.pod,
                container=each.container,
                lines=list(each.lines),
                problem=each.problem or None,
            )
            for each in recording.logs
        ],
        events=[event_report(each) for each in recording.events[-MAX_EVENTS:]],
        unknown=answer.unknown(),
        advice=[
            report.Advice(text=each.text, code=each.code or None, field=each.field or None)
            for each in diagnosis.advice
        ],
        timeline=_timeline(recording, answer.replayed),
        comparison=_comparison(answer.comparison),
    )


def _failure(group: FailureGroup) -> report.Failure:
    return report.Failure(
        cause=group.cause.name,
        how=group.cause.clause("a Pod", plural=False),
        effect=group.effect,
        rule=group.rule or None,
        number=len(group.pods),
        indexes=group.indexes.text or None,
        pods=[each.name for each in group.pods[:MAX_NAMES]],
    )


def _timeline(recording: Recording, replayed: Replay | None) -> report.Timeline | None:
    if replayed is None:
        return None
    return report.Timeline(
        recorded_until=write_time(recording.until),
        pods=[_pod(recording, replayed, pod) for pod in recording.pods],
        limits=[report.Limit(name=name, text=text) for name, text in limits(recording, replayed)],
        failed_indexes=[
            report.FailedIndex(index=index, at=write_time(at))
            for index, at in replayed.failed_indexes.items()
        ],
    )


def _pod(recording: Recording, replayed: Replay, pod: RecordedPod) -> report.TimelinePod:
    failure = replayed.failure(pod)
    return report.TimelinePod(
        name=pod.name,
        index=pod.index,
        phase=pod.view.phase,
        created=write_time(pod.created),
        scheduled=time_text(pod.scheduled),
        started=time_text(pod.started),
        deleted=time_text(pod.deleted),
        ended=time_text(pod.ended),
        containers=[report.Container(**each._asdict()) for each in pod.containers],
        restarts=pod.view.restarts,
        reason=pod.reason or None,
        conditions=list(pod.view.conditions),
        disruption=pod.disruption or None,
        how=how_it_ended(recording, pod),
        failure=_decision(failure, replayed),
    )


def _decision(failure: ReplayedFailure | None, replayed: Replay) -> report.Decision | None:
    if failure is None:
        return None
    match = failure.match
    matched = match.action is not None
    return report.Decision(
        at=write_time(failure.at),
        rule=rule_name(match.position, by_annotation=match.by_reason) if matched else None,
        action=match.action,
        effect=failure.effect,
        failures_of_job=failure.number,
        failures_of_index=failure.index_number if replayed.job.per_index else None,
        text=decision(failure, replayed),
    )


def _comparison(compared: PolicyComparison | None) -> report.Comparison | None:
    if compared is None:
        return None
    end = compared.other.end
    return report.Comparison(
        name=compared.name,
        changes=[
            report.Change(field=field, recorded=before, other=after)
            for field, before, after in compared.changes
        ],
        failures=[
            report.ComparedFailure(
                pod=each.pod.name,
                at=write_time(each.at),
                differs=each.differs,
                recorded=_decision(each.recorded, compared.recorded),
                other=_decision(each.other, compared.other),
            )
            for each in compared.failures
        ],
        divergence=_divergence(compared),
        end=None
        if end is None
        else report.End(
            at=write_time(end.at),
            condition="Complete" if end.success else "Failed",
            reason=end.reason,
            message=end.message,
        ),
        pods_that_would_not_exist=[pod.name for pod in compared.spared],
        pod_seconds_less=compared.spared_seconds,
        retried_indexes=compared.retried_indexes,
        consequences=list(consequences(compared)),
    )


def _divergence(compared: PolicyComparison) -> report.Divergence | None:
    if compared.divergence is None:
        return None
    words = dict(divergence(compared))
    return report.Divergence(
        at=write_time(compared.divergence),
        pod=None if compared.first is None else compared.first.pod.name,
        recorded=words.get("recorded"),
        other=words.get("with it"),
    )
