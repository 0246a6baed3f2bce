"""heat_map.js: every pixel against NumPy. heat_map_view.js: the cell under the pointer, zoom and pan. And legend.js."""

from collections.abc import Callable

import numpy as np
import pytest

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, blend

MODULES = """async () => {
  const others = await Promise.all(["heat_map_view", "legend", "vendor/lit"].map((name) => import(`/kit/${name}.js`)));
  window.js = Object.assign({}, js, ...others);
}"""
# Paints and reads the canvas back as rows of [red, green, blue]. JSON has no NaN or ∞, so they travel as text.
PAINT = """([rows, view, scale, width, height]) => {
  const values = Float64Array.from(rows.flat(), Number);
  const matrix = { values, nRows: rows.length, nColumns: rows[0].length };
  const canvas = document.querySelector("canvas");
  const look = { scale: js.colourScale(scale), width, height };
  js.paintHeatMap(canvas, { ...matrix, ...(view && { view }), ...look });
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = Array.from({ length: data.length / 4 }, (_, i) => [...data.slice(4 * i, 4 * i + 4)]);
  return { pixels, shape: [canvas.height, canvas.width] };
}"""


@pytest.fixture(scope="module", params=[1, 3], ids=lambda density: f"density {density}")
def page(module_page, request):
    page = module_page("kit/heat_map.js", device_scale_factor=request.param)
    page.evaluate(MODULES)
    page.evaluate("document.body.append(document.createElement('canvas'))")
    return page


@pytest.fixture(scope="module")
def paint(page) -> Callable:
    def paint_it(values, *, view=None, width, height, kind="diverging", largest=1.0, **scale):
        texts = [[str(x).replace("inf", "Infinity") for x in row] for row in values]
        scale = {"kind": kind, "largest": largest, "dark": False} | scale
        result = page.evaluate(PAINT, [texts, view, scale, width, height])
        pixels = np.array(result["pixels"]).reshape(*result["shape"], 4)
        assert (pixels[..., 3] == 255).all()
        return pixels[..., :3]

    return paint_it


def test_every_pixel_is_the_mean_of_its_cells(page, paint):
    rng = np.random.default_rng(0)
    density = min(page.evaluate("devicePixelRatio"), 2)
    for (n_rows, n_columns), (width, height) in [((20, 30), (31, 27)), ((97, 230), (20, 15))]:
        values = rng.uniform(-1.2, 1.2, (n_rows, n_columns))
        pixels = paint(values, width=width, height=height)
        assert pixels.shape == (round(height * density), round(width * density), 3)
        expected = np.empty(pixels.shape)
        for y, x in np.ndindex(pixels.shape[:2]):
            top, left = y * n_rows // pixels.shape[0], x * n_columns // pixels.shape[1]
            bottom = max(top + 1, (y + 1) * n_rows // pixels.shape[0])
            right = max(left + 1, (x + 1) * n_columns // pixels.shape[1])
            mean = values[top:bottom, left:right].mean()
            fill, _ = blend(POSITIVE if mean > 0 else NEGATIVE, min(abs(mean), 1.0))
            expected[y, x] = 255 * np.array(fill)
        # a step of the table is 1/127 of the scale, which moves no channel by more than 2
        np.testing.assert_allclose(pixels, expected, atol=2.1)


def test_the_view_is_what_is_seen(paint):
    values = np.random.default_rng(1).uniform(-1, 1, (20, 30))
    view = {"row": 4, "column": 9, "nRows": 7, "nColumns": 3}
    seen = paint(values, view=view, width=30, height=70)
    alone = paint(values[4:11, 9:12], width=30, height=70)
    assert (seen == alone).all()


def test_scales(paint):
    for x, pole, amount in [(-3, NEGATIVE, 1.0), (0, POSITIVE, 0.0), (3, POSITIVE, 1.0)]:
        pixels = paint([[x]], width=2, height=2, largest=2.0)
        assert pixels[0, 0].tolist() == [round(255 * channel) for channel in blend(pole, amount)[0]]
    for x, amount in [(-5, 0.0), (-4, 0.0), (4, 1.0), (6, 1.0)]:
        pixels = paint([[x]], width=2, height=2, kind="sequential", smallest=-4, largest=4)
        assert pixels[0, 0].tolist() == [round(255 * channel) for channel in blend(LIGHT["ink"], amount)[0]]
    pixels = paint([[0.0, 0.0]], width=4, height=2, kind="sequential", largest=0.0)  # nothing to scale by
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) == 1


def test_what_is_no_number_is_hatched_and_left_out_of_means(paint):
    values = np.full((4, 4), 0.5)
    values[0, 0], values[1, 1], values[0, 1], values[1, 0] = np.nan, np.inf, -np.inf, np.nan
    values[2, 2] = np.nan
    pixels = paint(values, width=60, height=60)
    half = len(pixels) // 2
    assert len(np.unique(pixels[:half, :half].reshape(-1, 3), axis=0)) == 2  # paper and lines
    assert len(np.unique(pixels[:half, half:].reshape(-1, 3), axis=0)) == 1
    wide = np.tile(values[2:, 2:], (1, 500))  # each pixel sees columns 2 and 3 of rows 2 and 3
    pixels = paint(wide, width=50, height=1)
    assert len(np.unique(pixels[:1].reshape(-1, 3), axis=0)) == 1


def test_float32_arrays_and_lengths(page):
    js = """(n) => js.paintHeatMap(document.querySelector("canvas"), {
      values: new Float32Array(n), nRows: 2, nColumns: 3,
      scale: js.colourScale({ kind: "diverging", largest: 1, dark: true }), width: 6, height: 4 })"""
    page.evaluate(js, 6)
    with pytest.raises(Exception, match="2 × 3 cells, but 5 values"):
        page.evaluate(js, 5)


def test_cell_under_the_pointer_and_its_box(page, paint):
    view = {"row": 5, "column": 2, "nRows": 10, "nColumns": 20}
    paint(np.zeros((20, 30)), view=view, width=200, height=50)
    at = """([x, y, view]) => {
      const canvas = document.querySelector("canvas");
      const { left, top } = canvas.getBoundingClientRect();
      return js.cellAt(canvas, view, { clientX: left + x, clientY: top + y });
    }"""
    assert page.evaluate(at, [0, 0, view]) == {"row": 5, "column": 2}
    assert page.evaluate(at, [199.5, 49.5, view]) == {"row": 14, "column": 21}
    assert page.evaluate(at, [35, 12, view]) == {"row": 7, "column": 5}
    assert page.evaluate(at, [-1, 12, view]) is None
    assert page.evaluate(at, [35, 50.5, view]) is None
    style = "([cell, view]) => js.cellStyle(view, cell)"  # in shares of a canvas of 200 × 50
    assert page.evaluate(style, [{"row": 7, "column": 5}, view]) == "left: 15%; top: 20%; width: 5%; height: 10%"
    assert page.evaluate(style, [{"row": 7}, view]) == "left: 0%; top: 20%; width: 100%; height: 10%"
    assert page.evaluate(style, [{"column": 5}, view]) == "left: 15%; top: 0%; width: 5%; height: 100%"
    for cell in ({"row": 4, "column": 5}, {"row": 7, "column": 22}):
        assert page.evaluate(style, [cell, view]) == "display: none"


def test_zoom_and_pan(page):
    matrix = {"nRows": 100, "nColumns": 30}
    whole = page.evaluate("m => js.wholeView(m)", matrix)
    assert whole == {"row": 0, "column": 0, "nRows": 100, "nColumns": 30}
    zoom = "([m, view, factor, at]) => js.zoomView(m, view, factor, at ?? undefined)"
    near = page.evaluate(zoom, [matrix, whole, 2, {"row": 40, "column": 30}])
    assert near == {"row": 20, "column": 15, "nRows": 50, "nColumns": 15}
    assert page.evaluate(zoom, [matrix, whole, 2, None]) == {"row": 25, "column": 8, "nRows": 50, "nColumns": 15}
    assert page.evaluate(zoom, [matrix, near, 0.25, None]) == whole
    nearest = page.evaluate(zoom, [matrix, whole, 1000, {"row": 99, "column": 0}])
    assert nearest == {"row": 99, "column": 0, "nRows": 1, "nColumns": 1}
    pan = "([m, view, down, right]) => js.panView(m, view, down, right)"
    assert page.evaluate(pan, [matrix, near, -5, 4])["row"] == 15
    assert page.evaluate(pan, [matrix, near, 999, -999]) == {"row": 50, "column": 0, "nRows": 50, "nColumns": 15}
    outgrown = {"row": 90, "column": 0, "nRows": 200, "nColumns": 30}  # after the matrix became smaller
    assert page.evaluate(pan, [matrix, outgrown, 0, 0]) == whole


def test_legend(page):
    words = page.evaluate("""() => {
      const root = document.createElement("div");
      document.body.append(root);
      js.render(js.legend(["rgb(1 2 3)", "rgb(4 5 6)"], ["−1", "0", "1"], "not allowed"), root);
      const strip = getComputedStyle(root.querySelector("[style*=gradient]")).backgroundImage;
      const text = root.innerText.split(/\\s*\\n\\s*/);
      js.render(js.legend(["rgb(1 2 3)", "rgb(4 5 6)"], ["−1", "1"]), root);
      const later = root.innerText.split(/\\s*\\n\\s*/);
      root.remove();
      return { text, later, strip };
    }""")
    assert words["text"] == ["−1", "0", "1", "not allowed"]
    assert words["later"] == ["−1", "1"]
    assert words["strip"] == "linear-gradient(90deg, rgb(1, 2, 3), rgb(4, 5, 6))"
