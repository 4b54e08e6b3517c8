"""The runs of many CronJobs in a period: how many start when, with how many Pods and requests."""
