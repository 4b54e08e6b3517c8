"""The cause for which a Job, CronJob or JobSet is in its state, in one sentence."""
