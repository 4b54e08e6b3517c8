"""The CronJob controller's decisions: values in, values out."""
