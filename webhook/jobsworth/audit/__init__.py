"""The audit: stored Jobs and CronJobs, evaluated as if they were created today."""
