"""The process that imports a model: `python -m walle.tensor.onnx.process MEMORY CPU_S FILE_BYTES MODEL OUTPUT`.

It limits itself before it reads anything, writes the file of a graph to OUTPUT, and answers JSON on standard output: a
`problem`, all `faults`, or nothing.
"""

from __future__ import annotations

import errno
import json
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any


def main() -> None:
    *limits, model, output = sys.argv[1:]
    limit_process(*map(int, limits))
    json.dump(imported(Path(model), Path(output)), sys.stdout)


def limit_process(memory: int, cpu_s: int, file_bytes: int) -> None:
    """Limit this process: bytes of memory, seconds of processor time, and bytes of a file that it writes."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def imported(model: Path, output: Path) -> dict[str, Any]:
    """Write the file of a model's graph, and return what is wrong with the model."""
    from walle.tensor.onnx.reading import ModelUnreadable, parsed
    from walle.tensor.onnx.translation import translate
    from walle_task.tensor.faults import GraphMalformed
    from walle_task.tensor.model_file import ModelFileMalformed, save

    try:
        save(translate(parsed(model.read_bytes()), model.parent), output)
    except (ModelFileMalformed, ModelUnreadable) as error:
        return {"problem": str(error)}
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        return {"problem": f"expected a model whose graph has at most {most} bytes, found a larger one"}
    except MemoryError:
        return {"problem": "expected a model that can be imported in the memory that there is, found a larger one"}
    except GraphMalformed as error:
        return {"faults": [asdict(fault) for fault in error.faults]}
    return {}


if __name__ == "__main__":
    main()
