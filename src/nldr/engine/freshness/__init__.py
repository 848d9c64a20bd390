"""Results that are not what the plan asks for, and why."""
