"""Reading what users write: YAML, its models, checks and schemas."""
