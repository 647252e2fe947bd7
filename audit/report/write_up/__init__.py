"""Reports of write-ups: Markdown, a page, TOML and JSON."""
