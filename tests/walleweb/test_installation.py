"""What docs/guides/production.md has people type: the packages that it needs are in its list, and walle-admin works."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.processes import run
from walleweb.config import BASE_DIR

GUIDE = BASE_DIR / "docs" / "guides" / "production.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Debian's package of each program that a minimal system lacks, by the first word of a command.
PACKAGES = {
    "make": "make",
    "curl": "curl",
    "sudo": "sudo",
    "git": "git",
    "nginx": "nginx-light",
    "python3.11": "python3.11-venv",
    "createuser": "postgresql",
    "createdb": "postgresql",
    "redis-cli": "redis-server",
}
ALWAYS_THERE = {
    *("apt-get", "adduser", "chmod", "ln", "cd", "install", "cp", "set", "for", "until", "do", "done", "systemctl"),
    *("walle-admin", "/opt/walle-2/deploy/walle-admin", ".venv/bin/pip", "sleep"),
}
OF_ANOTHER = re.compile(r"sudo -u \w+ ")


def commands():
    """The programs that the guide's lines start."""
    for block in BLOCK.findall(GUIDE.read_text()):
        for line in block.splitlines():
            for part in re.split(r"&&|;|\bdo\b", re.sub("#.*", "", line)):
                for words in (part, OF_ANOTHER.sub("", part)):
                    first = words.split()
                    if first:
                        yield first[1] if first[0] == "until" else first[0]


def test_packages_that_the_guide_uses_are_in_its_list():
    (line,) = re.findall(r"^apt-get install -y (.*)$", GUIDE.read_text(), re.MULTILINE)
    used = set(commands()) - ALWAYS_THERE
    assert {PACKAGES.get(program, f"the package of {program}") for program in used} <= set(line.split())


def test_production_installs_nothing_of_development():
    installs = re.findall(r"pip install (.*)", "".join(BLOCK.findall(GUIDE.read_text())))
    assert set(installs) == {"-r requirements.txt -r requirements-web.txt"}
    web = (BASE_DIR / "Makefile").read_text().partition("\nweb: ")[2].partition("\n")[0]
    # Where no development is installed, the first of the two is not there.
    assert web.startswith("$(if $(wildcard $(STAMP)),$(STAMP),$(NODE))")


@pytest.mark.processes
def test_walle_admin_has_the_settings_of_the_services_as_systemd_reads_them(tmp_path: Path) -> None:
    code = tmp_path / "code"
    (code / "deploy").mkdir(parents=True)
    (code / ".venv/bin").mkdir(parents=True)
    (code / "manage.py").write_text(
        "import os, sys; print(os.environ['A'], os.environ['B'], os.getcwd(), *sys.argv[1:])"
    )
    (code / ".venv/bin/python").symlink_to(sys.executable)
    settings = tmp_path / "walle.env"
    settings.write_text('# A=0\nA=postgresql://h/d?x=1&y=$HOME\nB="two words"')
    shipped = (BASE_DIR / "deploy" / "walle-admin").read_text()
    account = run(["id", "-un"]).stdout.strip()
    used = shipped.replace("/etc/walle/walle.env", str(settings)).replace("account=walle", f"account={account}")
    (code / "deploy" / "walle-admin").write_text(used)
    (code / "deploy" / "walle-admin").chmod(0o755)
    (tmp_path / "walle-admin").symlink_to(code / "deploy" / "walle-admin")
    done = run([str(tmp_path / "walle-admin"), "doctor", "a b"])
    assert done.stdout.strip() == f"postgresql://h/d?x=1&y=$HOME two words {code} doctor a b", done.stderr
    settings.unlink()
    refused = run([str(tmp_path / "walle-admin"), "doctor"])
    assert (refused.returncode, "cannot be read" in refused.stderr) == (1, True)
    assert os.access(BASE_DIR / "deploy" / "walle-admin", os.X_OK)
