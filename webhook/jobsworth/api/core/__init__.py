"""The types of ``core/v1`` from PodTemplateSpec downwards."""
