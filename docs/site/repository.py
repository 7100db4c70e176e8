"""Brings files of the repository into the site, so that every page reads well in both places.

Pages link to each other as files of the repository: `../CHANGELOG.md`, `../examples/odds.py`. On the site
those are pages, made here.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
ICON = ROOT / "src" / "teerling" / "server" / "page" / "static" / "icon.svg"
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Files of the repository that are pages of the site."""
LINK_TO_EXAMPLE = re.compile(r"\]\(\.\./examples/(\w+)\.py\)")
DRAWING = re.compile(r"^!\[[^\]]*\]\((pictures/\w+\.svg)\)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that stand elsewhere in the repository, and the icon of the table."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    files.append(File.generated(config, "examples.md", content=examples()))
    files.append(File.generated(config, "icon.svg", abs_src_path=str(ICON)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turns links to files of the repository into links to pages of the site."""
    for name, there in PAGES.items():
        markdown = markdown.replace(f"](../{name}", f"]({there}")
    if page.file.src_uri in PAGES.values():
        markdown = markdown.replace("](docs/", "](")
    markdown = LINK_TO_EXAMPLE.sub(r"](examples.md#\1)", markdown)
    return DRAWING.sub(lambda found: drawn(Path(config.docs_dir) / found[1]), markdown)


def drawn(path: Path) -> str:
    """A drawing as part of its page, where it takes the colours that the reader has chosen."""
    return f'<div class="drawing" tabindex="0">{path.read_text(encoding="utf-8").strip()}</div>'


def examples() -> str:
    """A page of all examples, each in full."""
    parts = ["# Examples", "Short programs, from the folder `examples`. All of them run in the tests."]
    for path in sorted((ROOT / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8").rstrip()
        title = path.stem.replace("_", " ").capitalize()
        parts += [f"## {title} {{: #{path.stem} }}", f"```python\n{text}\n```"]
    return "\n\n".join(parts) + "\n"
