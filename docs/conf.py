"""Configuration of Sphinx for scripts/docs.sh, which gives the release."""

project = "lsrecon"
author = "lsrecon"
extensions = ["myst_parser"]
exclude_patterns = ["pictures"]
nitpicky = True
smartquotes = False
myst_heading_anchors = 4
highlight_language = "none"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
html_show_copyright = False
html_copy_source = False
man_pages = [
    ("options", "lsrecon", "least-squares reconstruction of non-Cartesian MRI scans", "", 1)
]
