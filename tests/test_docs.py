"""Documentation that can be checked: settings, links between pages, the places that they name, topics."""

import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

from live_app import topics
from walleweb.config import declared_settings

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "guides" / "configuration.md"
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


def pages():
    """The Markdown files of the repository, new ones included."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(name for name in listed.stdout.splitlines() if (ROOT / name).exists())


def rows():
    """The guide's table: what stands beside each setting."""
    found = {}
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            found[cells[0].strip("`")] = cells[1].strip("`")
    return found


def test_every_setting_is_in_the_guide_with_its_default():
    documented = rows()
    declared = {setting.name: setting.default for setting in declared_settings().values()}
    assert set(declared) - set(documented) == set(), "settings that docs/guides/configuration.md does not explain"
    assert set(documented) - set(declared) == set(), "the guide explains settings that do not exist"
    assert documented == declared


def anchors(page):
    """The names that links to headings of a page use, as code hosts make them."""
    text = FENCE.sub("", page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


@pytest.mark.parametrize("name", pages())
def test_links_lead_somewhere(name):
    page = ROOT / name
    for groups in LINK.findall(FENCE.sub("", page.read_text())):
        target = groups[0] or groups[1]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{name} links to {target}, which does not exist"
        assert not anchor or file.suffix != ".md" or anchor in anchors(file), f"{name} links to {target}"


NAMING = ("ARCHITECTURE.md", "docs/guides/extending.md")
"""The pages that say where things are."""
EXAMPLES = re.compile("greeting|spare|tensor|torch|/dist$")
"""What a recipe adds, and what is to come or is built."""
TOPS = ("walle", "walleweb", "kit", "frontend", "tests", "docs", "deploy", "benchmarks", "examples")
OURS = re.compile(rf"(?:{'|'.join(TOPS)}|[a-z]+_app)[/.]\S+")


def named_places():
    """The files, folders, modules and what is in these that a page names, each as `code`."""
    for page in NAMING:
        for code in re.findall("`([^`]+)`", FENCE.sub("", (ROOT / page).read_text())):
            if OURS.fullmatch(code) and not EXAMPLES.search(code):
                yield pytest.param(code, id=f"{page}: {code}")


@pytest.mark.parametrize("name", list(named_places()))
def test_what_pages_name_is_there(name):
    assert (ROOT / name).exists() if "/" in name else is_there(name), f"there is no {name}"


def is_there(dotted):
    """A module, or something that one has."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return True


def test_every_topic_is_in_the_page_of_the_live_channel():
    rows = re.findall(r"^\| `([a-z/<>]+)` \|", (ROOT / "docs" / "live.md").read_text(), re.MULTILINE)
    names = [re.sub("<[^>]*>", each, row) for row in rows for each in ("1", "a")]
    missing = [kind.__name__ for kind in topics._kinds() if not any(map(kind.pattern.fullmatch, names))]
    assert missing == [], "topics that docs/live.md does not list"
