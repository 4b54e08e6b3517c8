"""The linter: rules for valid Jobs and CronJobs that probably do not run as intended."""
