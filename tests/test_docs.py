"""Documentation that can be checked: settings, and links between pages."""

import re
import subprocess
from pathlib import Path

import pytest

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
