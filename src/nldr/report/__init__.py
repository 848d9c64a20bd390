"""The HTML page that shows all results of a run.

Each part has a function ``pages(report, environment)`` that yields the routes of its pages and the
HTML of their main part, and two parts have ``blocks(report)``, which yields names and contents of
blocks of data that the page unpacks on demand. `report` has all contents, `environment` is the
Jinja environment of the templates.
"""
