"""JobPolicy: an organization's rules for Jobs and CronJobs beyond those of the API."""
