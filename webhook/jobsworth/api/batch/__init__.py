"""The types of ``batch/v1``: Job, CronJob, and their policies."""
