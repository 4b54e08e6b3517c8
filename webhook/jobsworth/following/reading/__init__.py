"""Read a Job, CronJob or JobSet with all that a diagnosis takes."""
