"""JobPolicy: an organization's rules for Jobs and CronJobs beyond the API."""
