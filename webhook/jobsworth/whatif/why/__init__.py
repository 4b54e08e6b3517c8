"""Why a Job, CronJob or JobSet is in its state: the cause in one sentence, from objects to values."""
