"""Diagnoses of a CronJob and of a JobSet, by the Job that decides."""
