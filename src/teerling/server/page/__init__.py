"""Pages: pure functions of a view and a language, their templates, styles, scripts and pictures."""
