"""The stages of a job, each in a process of its own."""
