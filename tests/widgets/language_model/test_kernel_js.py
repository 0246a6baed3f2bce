"""The engine's products with quantised weights against NumPy."""

import subprocess

import numpy as np
import pytest
from gguf import GGMLQuantizationType, quants

from _ext.toolchain import NODE, ROOT


def test_the_bytes_are_those_of_the_text():
    done = subprocess.run([NODE, "tools/kernel.mjs", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numbers_of_16_bits(engine):
    bits = np.arange(65536, dtype=np.uint16)
    np.testing.assert_array_equal(engine("halves", bits=bits.tolist()), bits.view(np.float16).astype(np.float32))


@pytest.mark.parametrize("n_columns", [1, 2, 4, 7, 90])  # 90: more than go through at once, at 1,536
@pytest.mark.parametrize("kind", [GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q8_0])
def test_products(engine, tmp_path, n_columns, kind):
    """In one row all numbers are the largest ones, in one they are 0; the weights begin somewhere in the file."""
    rng = np.random.default_rng(n_columns)
    for n_out, n_in in [(2, 32), (6, 64), (10, 1536)]:
        weight = rng.normal(size=(n_out, n_in)).astype(np.float32) * 10.0 ** rng.integers(-3, 3, size=(n_out, 1))
        weight[0], weight[1] = 7.0, 0.0
        quantised = quants.quantize(weight.astype(np.float32), kind)
        path = tmp_path / "weights"
        path.write_bytes(bytes(12) + quantised.tobytes() + bytes(3))
        x = rng.normal(size=(n_columns, n_in)).astype(np.float32)
        weights = {"kind": int(kind), "offset": 12, "nInputs": n_in, "nOutputs": n_out}
        product = engine("multiply", path=str(path), weights=weights, x=x.reshape(-1).tolist(), nColumns=n_columns)
        exact = quants.dequantize(quantised, kind).astype(float)
        np.testing.assert_allclose(product["row"], exact[1], rtol=1e-6)
        room = 1e-6 * np.abs(x.astype(float)) @ np.abs(exact).T + 1e-30  # relative to what is added up
        assert (np.abs(product["y"].reshape(n_columns, n_out) - x.astype(float) @ exact.T) <= room).all()
