"""Who may import whom: the contracts in pyproject.toml hold."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_worker_inside_the_sandbox_has_the_standard_library_only():
    folder = ROOT / "walle" / "container" / "worker"
    own = "walle.container.worker"
    for path in folder.rglob("*.py"):
        foreign = {
            name
            for name in _imported(path)
            if name.partition(".")[0] not in sys.stdlib_module_names and not f"{name}.".startswith(f"{own}.")
        }
        assert not foreign, f"{path.relative_to(ROOT)} imports {', '.join(sorted(foreign))}"


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add(node.module or "")
    return found
