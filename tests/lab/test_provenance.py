"""Where a record comes from."""

import subprocess

import numpy as np
import pytest

from inorder.lab import provenance as module
from inorder.lab.provenance import commit, processor, provenance
from inorder.lab.schemes import STEP, in_digits


@pytest.fixture(autouse=True)
def asked_anew():
    commit.cache_clear()
    yield
    commit.cache_clear()


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_commit_is_that_of_the_package_and_says_if_its_code_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    outside = commit()
    assert outside.startswith("inorder ")
    git(tmp_path, "init", "--quiet")
    (tmp_path / "__init__.py").write_text("")
    commit.cache_clear()
    assert commit() == outside, "a package that was installed into somebody's clone"
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "begin")
    (tmp_path / "stored.json").write_text("{}")
    commit.cache_clear()
    head = git(tmp_path, "rev-parse", "HEAD")
    assert len(commit()) == 12 and head.startswith(commit())
    (tmp_path / "__init__.py").write_text("changed = True")
    commit.cache_clear()
    assert commit() == f"{head[:12]}-dirty"
    monkeypatch.setenv("PATH", "")
    commit.cache_clear()
    assert commit() == outside, "no git"


def test_a_record_says_what_is_known():
    made = provenance("make it", ["numpy"], seeds=[0, 1], seconds=3)
    assert made["versions"].keys() == {"python", "numpy"} and np.__version__.startswith(made["versions"]["numpy"])
    assert made["processor"] == processor(with_torch=False) and "torch" not in made["processor"]
    assert (made["made_by"], made["seeds"], made["seconds"]) == ("make it", [0, 1], 3)


def test_digits_are_those_of_the_numbers_and_not_of_their_rounding():
    rng = np.random.default_rng(0)
    round_numbers = np.arange(-2000, 2000)[:, None] / np.array([1, 2, 3, 10, 64, 128, 10_000])
    for numbers in (round_numbers, np.log1p(np.arange(64)), np.array([[-np.inf, 0.0]])):
        noisy = numbers * (1 + 1e-15 * rng.normal(size=numbers.shape)) + 1e-16
        assert in_digits({"bias": numbers}) == in_digits({"bias": noisy})
        assert in_digits({"bias": numbers}) != in_digits({"bias": numbers + 3 * STEP * (numbers == numbers.max())})
        assert in_digits({"bias": numbers}) != in_digits({"embed": numbers})
    assert in_digits({"bias": np.zeros((2, 3))}) != in_digits({"bias": np.zeros((3, 2))})
