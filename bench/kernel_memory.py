"""Peak memory of each student notebook's kernel, run from top to bottom: what a classroom must hold for each of them.

The table in deploy/jupyterhub/README.md has these numbers. A cell that adds much is named.
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from _ext.course_notebooks import chapter_paths, student_notebook
from harness.aims import Aims

AIM = 1000  # MB, with a limit of 2 GB for a student: two kernels may be open
STEP = 60  # MB: a cell that adds as much is named


def peak(pid: int) -> int:
    """MB, the most that the process has had in memory so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1000


def measure(path: Path) -> tuple[int, list[str]]:
    """The peak of the chapter's kernel, and the cells that raised it."""
    notebook = student_notebook(nbformat.read(path, 4))
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}})
    steps, before = [], 0
    with client.setup_kernel():
        pid = client.km.provisioner.pid
        for i, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                client.execute_cell(cell, i)
                now = peak(pid)
                if before and now - before >= STEP:
                    steps.append(f"cell {i} +{now - before}")
                before = now
    return before, steps


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"  # as in the classroom
    aims = Aims()
    for path in chapter_paths():
        memory, steps = measure(path)
        verdict = aims.verdict(path.stem, memory, at_most=AIM)
        print(f"{memory:5} MB  {path.stem}  {', '.join(steps)}  {verdict}", flush=True)
    sys.exit(aims.exit_status())


if __name__ == "__main__":
    main()
