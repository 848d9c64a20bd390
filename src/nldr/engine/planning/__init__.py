"""The plan: from the files of a project to cells, jobs and their files."""
