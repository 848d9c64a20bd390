"""Settings of the documentation site: ``make docs`` builds it, without network."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS / "_ext"), str(DOCS.parent / "src")]


import pictures  # noqa: E402

from nldr import __version__  # noqa: E402

project = "nldr"
author = "The nldr authors"
copyright = "The nldr authors. MIT license"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "generated"]
exclude_patterns = ["_build", "README.md", "notebooks/*.ipynb"]
source_suffix = {".md": "markdown"} | {f".{group}.py": "script" for group in pictures.GROUPS}
nitpicky = True
autosummary_generate = False
root_doc = "index"

# Markdown: headings are link targets, and $…$ is not math.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Docstrings say types in words, so neither they nor annotations become links.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
nitpick_ignore_regex = [
    ("py:data", r".*[A-Z]+"),  # constants, which have no docstring
    ("py:func", "margin_of|join_nearest"),  # helpers beside the functions that the site lists
]
add_module_names = False
default_role = "code"
smartquotes = False  # quotes in docstrings are those of Python

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"nldr {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("sort.js", {"defer": "defer"})]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fa8", "color-brand-content": "#1f5fa8"},
    "dark_css_variables": {"color-brand-primary": "#8ab8ef", "color-brand-content": "#8ab8ef"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
