"""What an organisation demands of Jobs and CronJobs beyond the API: the JobPolicy document.

:func:`jobsworth.policy.job_policy.reading.read` makes a
:class:`~jobsworth.policy.job_policy.document.PolicySet` of plain documents; a policy set judges and
defaults a :class:`~jobsworth.policy.job_policy.subject.PolicyRequest`.
"""
