#!/usr/bin/env python3
"""The pages of lsrecon view in a real browser: what they draw is what the files hold, and keys,
mouse and controls show something else. Skipped (77) where there is no browser.

    view_in_browser.py LSRECON"""

import base64
import json
import os
import sys
import tempfile

import h5py
import numpy as np

from browser import PROGRAM, Browser
from images import rng, write_image
from in_folders import expect, run_cases

EVIL = "</script><script>document.body.innerHTML = ''</script>\"'&"
BROWSER = None  # one for all cases
SHOWN = """({state, text: Object.fromEntries(
  ["place", "value", "largest", "frame_label"].map((id) => [id, by(id).textContent])),
  hidden: ["set", "part", "mode", "along", "plane", "slices", "frames", "levels", "masks",
           "overlays", "cines"].filter((id) => by(id).hidden),
  box: canvas.getBoundingClientRect().toJSON(), panes: shown.map((pane) => ({...pane})),
  inner: [innerWidth, innerHeight], orientation: canvas.dataset.orientation, bar: scale_bar})"""


class Page:
    """A page of a file in the browser."""

    def __init__(self, browser, folder, file, hash_words="", *options):
        folder.run(0, ["view", file, "-o", "p.html", "--quiet", *options])
        self.browser, self.path = browser, folder / "p.html"
        self.open(hash_words)

    def open(self, hash_words):
        self.browser.open(self.path, hash_words)
        expect(not self.browser.errors(), f"an error in the page: {self.browser.errors()}")
        expect(not self.browser.requests(), f"it asks a network: {self.browser.requests()}")

    def now(self):
        return self.browser.ask(SHOWN)

    def state(self, *names):
        state = self.now()["state"]
        return [state[name] for name in names]

    def drawn(self):
        """Red, green and blue of the canvas [row, column, 3]."""
        size = self.browser.ask("[canvas.height, canvas.width]")
        values = self.browser.ask(
            "btoa(Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width,"
            "canvas.height).data, (byte) => String.fromCharCode(byte)).join(''))")
        return np.frombuffer(base64.b64decode(values), "u1").reshape(*size, 4)[..., :3].astype(int)

    def colours(self, pane):
        """The colour in the middle of each voxel of a pane [down, across, 3]."""
        down, across = (self.browser.ask(f"current().size[{pane[axis]}]")
                        for axis in ("down", "across"))
        rows = (pane["y"] + (np.arange(down) + 0.5) * pane["height"] / down).astype(int)
        columns = (pane["x"] + (np.arange(across) + 0.5) * pane["width"] / across).astype(int)
        return self.drawn()[rows[:, None], columns[None, :]]

    def middle(self, pane):
        """Of a pane, in the window."""
        box = self.now()["box"]
        return box["x"] + pane["x"] + pane["width"] / 2, box["y"] + pane["y"] + pane["height"] / 2


def phantom():
    """Two frames of 12 x 20 x 16 voxels, each slice with its own mean and some texture."""
    z, y, x = np.mgrid[:12, :20, :16]
    values = (0.2 + z / 20 + 0.2 * ((x + y) % 2)) * np.exp(1j * (x - 8) / 4)
    values[:, 0, :] = 0  # no signal
    return np.array([values, 0.5 * values])


def add_sections(path):
    with h5py.File(path, "r+") as f:
        f["record/residuals"] = np.array([[[1, 0.1, 0.01]], [[1, 0.2, np.nan]]])
        f["record"].attrs["remark"] = EVIL
        f["record"].attrs["empty"] = ""
        f["coil_maps"] = (rng.normal(size=(3, 12, 20, 16)) + 2).astype("c8")
        noise = np.full((12, 20, 16), 1.0)
        noise[3, 2, 1] = 2.5
        f["noise_map"] = noise


def greys(values, largest, window, level):
    return np.clip((100 * np.abs(values) / largest - level + window / 2) / window, 0, 1) * 255


def a_mosaic_shows_every_slice(make):
    """It fills the window, and each voxel has the grey of its value."""
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24), labels=["first", EVIL])
    add_sections(folder / "i.h5")
    page = Page(BROWSER, folder, "i.h5", "window=80&level=50")
    BROWSER.press("i")  # not smooth
    now = page.now()
    panes = now["panes"]
    expect(len(panes) == 12 and now["state"]["mode"] == "mosaic", f"{len(panes)} panes")
    extent = [max(pane[axis] + pane[size] for pane in panes) - min(pane[axis] for pane in panes)
              for axis, size in (("x", "width"), ("y", "height"))]
    share = [extent[0] / now["box"]["width"], extent[1] / now["box"]["height"]]
    expect(max(share) > 0.97, f"the mosaic takes {share} of its canvas")
    expect(now["box"]["height"] > 0.7 * now["inner"][1] and
           now["box"]["width"] == now["inner"][0], "the canvas does not fill the window")
    image = phantom()
    for z in (0, 5, 11):
        wrong = np.abs(page.colours(panes[z]) -
                       greys(image[0, z], np.abs(image).max(), 80, 50)[..., None])
        # Numbers and scale bar lie over some corners.
        expect(np.quantile(wrong, 0.9) < 2, f"slice {z} is {np.quantile(wrong, 0.9)} off")
    expect(now["orientation"] == "orientation unknown", now["orientation"])
    body = BROWSER.ask("document.body.innerHTML")
    expect("<td>&lt;/script&gt;&lt;script&gt;" in body, "the record is not escaped text")
    expect("<td>empty</td>" not in body, "an empty row")
    expect(not BROWSER.ask("document.querySelector('details').open"), "the record is not folded")
    curves = BROWSER.ask("document.querySelectorAll('#residuals polyline').length")
    expect(curves == 2, f"{curves} residual curves")
    noise = BROWSER.ask("choose_set(2), state.at = [1, 2, 3], draw(), by('value').textContent")
    expect(noise == "noise map 2.50", f"a noise of '{noise}'")


def one_slice_by_click_keys_and_wheel(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24), labels=["first", EVIL])
    page = Page(BROWSER, folder, "i.h5")
    BROWSER.click(*page.middle(page.now()["panes"][7]))
    now = page.now()
    expect(now["state"]["mode"] == "slice" and now["state"]["at"][2] == 7, f"{now['state']}")
    expect(len(now["panes"]) == 1 and
           now["panes"][0]["height"] > 0.9 * now["box"]["height"], "a slice that fills nothing")
    middle = page.middle(now["panes"][0])
    BROWSER.wheel(*middle, 100)
    BROWSER.press("ArrowDown", "ArrowDown", "ArrowUp")
    expect(page.state("at")[0][2] == 9, f"slice {page.state('at')}")
    BROWSER.press("End", "ArrowDown")
    expect(page.state("at")[0][2] == 11, "beyond the last slice")
    BROWSER.press("Home")
    expect(page.state("at")[0][2] == 0, "Home")
    BROWSER.press("ArrowRight")
    now = page.now()
    expect(now["state"]["frame"] == 1 and now["text"]["frame_label"] == "1: " + EVIL,
           f"frame {now['text']['frame_label']}")
    BROWSER.press("x")
    now = page.now()
    size = now["panes"][0]["width"] / now["panes"][0]["height"]
    expect(now["state"]["plane"] == 0 and abs(size - 20 / 24) < 0.01, f"a plane of y and z: {size}")
    BROWSER.press("y", "z")
    expect(page.state("plane") == [2], "z")
    BROWSER.press("3")
    expect(len(page.now()["panes"]) == 3, "three planes")
    BROWSER.press("Escape")
    expect(page.state("mode") == ["mosaic"], "Escape")
    # What stands in the address is shown by another visit, and by a pointer.
    page.open("mode=slice&x=3&y=2&z=5&frame=1")
    now = page.now()
    value = 0.5 * (0.2 + 5 / 20 + 0.2)
    printed = now["text"]["value"].split()
    expect(now["text"]["place"].startswith("voxel 3, 2, 5, frame 1: </script>"), f"{now['text']}")
    expect(abs(float(printed[1].strip(",")) / value - 1) < 0.01, f"{printed}, not {value}")
    expect(abs(float(printed[3]) + 5 / 4) < 0.02, f"{printed}, not a phase of -1.25")
    BROWSER.move(page.middle(now["panes"][0])[0], page.middle(now["panes"][0])[1] + 3)
    expect(page.now()["text"]["place"].startswith("voxel 8, 10, 5"), f"{page.now()['text']}")


def window_and_level_by_drag(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    page = Page(BROWSER, folder, "i.h5", "mode=slice&z=6&window=60&level=40")
    BROWSER.press("i")
    x, y = page.middle(page.now()["panes"][0])
    BROWSER.drag((x, y), (x + 50, y), (x + 200, y))
    window, level = page.state("window", "level")
    expect(abs(window - 120) < 1e-6 and abs(level - 40) < 1e-6, f"{window}, {level}")
    BROWSER.drag((x, y), (x, y - 100))
    window, level = page.state("window", "level")
    expect(abs(window - 120) < 1e-6 and abs(level - 10) < 1e-6, f"{window}, {level}")
    image = phantom()[0, 6]
    wrong = np.abs(page.colours(page.now()["panes"][0]) -
                   greys(image, np.abs(phantom()).max(), window, level)[..., None])
    expect(np.quantile(wrong, 0.97) < 2, f"greys are {np.quantile(wrong, 0.97)} off")
    expect(BROWSER.ask("[by('window').value, by('level').value]") == ["120", "10"], "the numbers")
    BROWSER.press("r")
    expect(page.state("window", "level") == [None, None], "reset")
    BROWSER.ask("by('window').value = 33, by('window').dispatchEvent(new Event('input'))")
    expect(page.state("window") == [33], "the number of the window")


def zoom_and_cine(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (160, 200, 240))
    page = Page(BROWSER, folder, "i.h5", "mode=slice")
    before = page.now()
    x, y = page.middle(before["panes"][0])
    BROWSER.wheel(x + 40, y + 30, -100, modifiers=2)
    after = page.now()
    at = [(place - pane["box"][axis] - pane["panes"][0][axis]) / pane["panes"][0]["width"]
          for place, axis in ((x + 40, "x"), (y + 30, "y")) for pane in (before, after)]
    expect(abs(at[0] - at[1]) < 1e-3 and abs(at[2] - at[3]) < 1e-3, f"zoom does not stay: {at}")
    expect(abs(after["panes"][0]["width"] / before["panes"][0]["width"] - 1.25) < 1e-6, "zoom")
    for now in (before, after):  # the field of view has 160 mm across
        mm = now["bar"]["pixels"] / now["panes"][0]["width"] * 160
        expect(abs(mm / now["bar"]["mm"] - 1) < 1e-6, f"a bar of {now['bar']} is {mm} mm")
    white = (page.drawn()[-7, 8:] == 255).all(axis=1)
    expect(abs(np.argmin(white) - after["bar"]["pixels"]) < 2, f"{np.argmin(white)} pixels of bar")
    BROWSER.wheel(x + 40, y + 30, -100, modifiers=2)
    again = page.now()["panes"][0]
    at.append((x + 40 - after["box"]["x"] - again["x"]) / again["width"])
    expect(abs(at[0] - at[-1]) < 1e-3, f"a second zoom does not stay: {at}")
    BROWSER.wheel(x + 40, y + 30, 100, modifiers=2)
    BROWSER.drag((x, y), (x + 30, y - 20), modifiers=8)
    moved = page.now()["panes"][0]
    expect(abs(moved["x"] - after["panes"][0]["x"] - 30) < 1e-6, "Shift and drag")
    BROWSER.press("0")
    expect(page.now()["panes"][0] == before["panes"][0], "0 does not show all again")
    BROWSER.ask("by('rate').value = 60")
    BROWSER.press(" ")
    BROWSER.ask("new Promise((done) => setTimeout(done, 400))")
    frames = BROWSER.ask("new Promise((done) => { const seen = new Set(); const look = () => {"
                         "seen.add(state.frame); seen.size > 1 ? done(seen.size)"
                         ": setTimeout(look, 5); }; look(); })")
    expect(frames == 2, f"the cine shows {frames} frames")
    BROWSER.press(" ")
    stopped = page.state("frame")
    BROWSER.ask("new Promise((done) => setTimeout(done, 200))")
    expect(page.state("frame") == stopped, "the cine does not stop")


def phases_have_cyclic_colours(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    page = Page(BROWSER, folder, "i.h5", "mode=slice&z=6")
    BROWSER.press("p")
    pane = page.now()["panes"][0]
    colours = page.colours(pane)
    expect((colours[0, 4:12] == 24).all(), f"colours where no signal is: {colours[0, 8]}")
    expect(len(np.unique(colours[5].reshape(-1, 3), axis=0)) > 10, "one colour for all phases")
    ends = BROWSER.ask("[palettes.phase(0), palettes.phase(1)]")
    expect(np.allclose(ends[0], ends[1], atol=0.1), "colours that do not close")
    expected = [BROWSER.ask(f"palettes.phase({(x - 8) / 4 / (2 * np.pi) + 0.5})")
                for x in range(16)]
    expect(np.abs(colours[6, 1:15] - np.array(expected)[1:15]).max() < 6, "other colours")
    x, y = page.middle(pane)
    BROWSER.drag((x, y), (x, y + 400))
    expect(page.state("mask")[0] > 100 * 0.08, f"the mask is {page.state('mask')}")


def parts_and_the_spectrum_of_a_slice(make):
    """Real parts are of two colours; the spectrum is that of NumPy, at 0 in the middle."""
    folder = make()
    values = phantom()[0, :1, :15, :12]
    write_image(folder / "i.h5", values, (12, 15))
    page = Page(BROWSER, folder, "i.h5", "mode=slice&part=real&window=100")
    BROWSER.press("i")
    expect(not page.now()["hidden"].count("levels"), "no window of real parts")
    colours = page.colours(page.now()["panes"][0])
    reds = colours[..., 0] > colours[..., 2]
    real = values[0].real / np.abs(values).max()
    sure = abs(real) > 0.05
    expect(np.array_equal(reds[sure], real[sure] > 0), "colours of other signs")
    page.open("mode=mosaic&part=k-space")
    now = page.now()
    expect(now["state"]["mode"] == "slice" and "levels" in now["hidden"], f"{now['state']}")
    shares = np.array(BROWSER.ask("shares_of_part(shown[0])")).reshape(15, 12)
    size = np.abs(np.fft.fftshift(np.fft.fft2(values[0])))
    near = np.clip(1 + np.log10(np.maximum(size / size.max(), 1e-9)) / 5, 0, 1)
    wrong = abs(shares - near)[near > 0.6]  # phases have 8 bits
    expect(wrong.max() < 0.03, f"the spectrum is {wrong.max()} off")


def statistics_of_a_region(make):
    folder = make()
    values = phantom()[0, :1]
    write_image(folder / "i.h5", values, (16, 20))
    page = Page(BROWSER, folder, "i.h5", "mode=slice")
    pane = page.now()["panes"][0]
    box = page.now()["box"]
    at = [(box["x"] + pane["x"] + pane["width"] * (x + 0.5) / 16,
           box["y"] + pane["y"] + pane["height"] * (y + 0.5) / 20) for x, y in ((3, 5), (8, 11))]
    BROWSER.drag(*at, modifiers=1)
    said = BROWSER.ask("by('region').textContent")
    inside = np.abs(values[0, 5:12, 3:9])
    expect(said.startswith(f"region of {inside.size}: mean {inside.mean():.3f}, deviation "
                           f"{inside.std(ddof=1):.3f}"), f"{said}, mean {inside.mean()}")
    expect(page.state("window") == [None], "the window has changed, too")
    BROWSER.press("Escape")
    expect(BROWSER.ask("by('region').textContent") == "" and page.state("mode") == ["slice"],
           "Escape does not end a region")


def opposed_spokes_of_late_gradients_peak_apart(make):
    folder = make()
    for name, delays in (("s.h5", "0,0"), ("late.h5", "2,2")):
        folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "32,32", "--readouts",
                       "52", "--delays", delays, "-o", name, "--quiet"])
        Page(BROWSER, folder, name)
        peaks = BROWSER.ask("data.panels.opposed.spokes.map((spoke) => spoke.reduce((a, b) => "
                            "a[1] > b[1] ? a : b)[0])")
        apart = abs(peaks[0] - peaks[1])
        expect(BROWSER.ask("!!document.querySelector('#opposed svg')"), "no panel")
        expect(apart < 0.3 if name == "s.h5" else 3.4 < apart < 4.6, f"{name}: peaks at {peaks}")


def orientation_is_that_of_a_light_box(make):
    """A sagittal slice whose rows lead to the feet, and columns to the front."""
    folder = make()
    rows = np.array([[0, 0, -1], [0, -1, 0], [-1, 0, 0]])
    write_image(folder / "i.h5", phantom(), (16, 20, 24), np.zeros(3), rows)
    page = Page(BROWSER, folder, "i.h5", "mode=slice&z=3&window=100&level=50")
    BROWSER.press("i")
    now = page.now()
    expect(now["orientation"] == "APHF", f"letters {now['orientation']}")
    image = np.abs(phantom()[0, 3])
    shown = page.colours(now["panes"][0])[..., 0]
    expected = greys(image.T[:, ::-1], np.abs(phantom()).max(), 100, 50)
    expect(np.quantile(np.abs(shown - expected), 0.9) < 2, "not turned as it says")
    expect(BROWSER.ask("by('plane').options[2].text") == "along z to R", "the axis has no letter")


def coil_maps_lie_over_the_image(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    maps = np.zeros((2, 12, 20, 16), "c8")
    maps[0, ..., :8] = maps[1, ..., 8:] = 1
    with h5py.File(folder / "maps.h5", "w") as f:
        f["coil_maps"] = maps
    page = Page(BROWSER, folder, "i.h5", "set=1&z=4", "--maps", "maps.h5")
    now = page.now()
    expect(len(now["panes"]) == 2 and now["text"]["place"].endswith("coil 0"), "no contact sheet")
    BROWSER.press("i")
    sheet = [page.colours(pane)[10, :, 0] for pane in now["panes"]]
    expect((sheet[0] > 128).tolist() == [n < 8 for n in range(16)], f"coil 0: {sheet[0]}")
    expect((sheet[1] > 128).tolist() == [n >= 8 for n in range(16)], f"coil 1: {sheet[1]}")
    page.open("set=0&mode=slice&z=4&overlay=all")
    tinted = page.colours(page.now()["panes"][0])[10]
    expect(len({tuple(np.round(c / c.max(), 1)) for c in tinted[2:6]}) == 1, "one coil, two hues")
    expect(np.abs(tinted[3] - tinted[12]).max() > 30, "two coils, one hue")
    page.open("set=0&mode=slice&z=4&overlay=1")
    alone = page.colours(page.now()["panes"][0])[10]
    expect(alone[3].max() < 40 < alone[12].max(), f"coil 1 sees {alone[3]} and {alone[12]}")


def flat_images_and_many(make):
    """Two dimensions have no slider of slices, and a thousand frames or slices are shown."""
    folder = make()
    write_image(folder / "i.h5", rng.uniform(1, 2, (1, 6, 5)), (50, 60))
    page = Page(BROWSER, folder, "i.h5")
    hidden = set(page.now()["hidden"])
    expect({"plane", "slices", "frames", "mode", "along", "cines"} <= hidden, f"hidden: {hidden}")
    BROWSER.press("ArrowDown", "Enter", "3", "x", " ")
    expect(len(page.now()["panes"]) == 1, "keys of volumes")
    expect(page.now()["text"]["place"] == "voxel 2, 3", page.now()["text"]["place"])
    for shape in ((1000, 8, 8), (1, 1000, 8, 8)):
        write_image(folder / "i.h5", rng.uniform(1, 2, shape), [8, 8, 1000][:len(shape) - 1])
        page = Page(BROWSER, folder, "i.h5")
        now = page.now()
        expect(len(now["panes"]) == 1000, f"{len(now['panes'])} panes of {shape}")
        BROWSER.click(*page.middle(now["panes"][777]))
        where = page.now()["state"]
        expect(777 in (where["frame"], where["at"][2]), f"{shape}: {where}")


def large_images_open_soon(make):
    """256^3: the magnitude whole, below 30 MB; the bound on time is for a busy machine."""
    folder = make()
    write_image(folder / "i.h5", rng.normal(size=(1, 256, 256, 256)) + 2j, (256, 256, 256))
    page = Page(BROWSER, folder, "i.h5")
    size = BROWSER.ask("[data.sets[0].size, data.sets[0].phase_size]")
    expect(size == [[256] * 3, [128] * 3], f"{size}")
    seconds = BROWSER.ask("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000
    megabytes = os.path.getsize(page.path) / 1e6
    print(f"256^3 opens in {seconds:.2f} s, {megabytes:.1f} MB", flush=True)
    expect(seconds < 8 and megabytes < 30, f"it opens in {seconds} s and has {megabytes} MB")


def failed_frames_are_crosses(make):
    folder = make()
    values = np.full((3, 20, 20), 0.5 + 0j)
    values[1] = np.nan + 1j * np.nan
    write_image(folder / "i.h5", values, (20, 20))
    with h5py.File(folder / "i.h5", "r+") as f:
        f["record/frame_errors"] = np.array([b"", b"its samples are not finite", b""])
    page = Page(BROWSER, folder, "i.h5", "window=200&level=100")
    now = page.now()
    middle = [page.colours(pane)[10, 10] for pane in now["panes"]]
    expect(middle[1][0] > 100 > middle[1][2] and middle[0][0] == middle[0][2],
           f"the middle of the frames: {middle}")
    expect("its samples are not finite" in BROWSER.ask("by('notes').innerText"), "no reason")
    BROWSER.move(*page.middle(now["panes"][1]))
    expect(page.now()["text"]["value"] == "none, this frame failed", f"{page.now()['text']}")


def slices_of_frames_are_volumes(make):
    folder = make()
    values = np.full((3, 4, 5), 0.1)
    values[1, 2, 3] = 7
    rows = np.eye(3)
    write_image(folder / "i.h5", values, (50, 40), np.zeros(3), rows,
                [4 * rows[2], 2 * rows[2], 0 * rows[2]])
    page = Page(BROWSER, folder, "i.h5", "mode=slice&x=3&y=2&z=1")
    now = page.now()
    expect(now["text"]["value"].startswith("magnitude 7.00"), now["text"]["value"])
    expect("slices" not in now["hidden"], "slices are no volume")


def dark_and_light(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    page = Page(BROWSER, folder, "i.h5")
    papers = []
    for scheme in ("dark", "light"):
        BROWSER.prefer(scheme)
        papers.append(BROWSER.ask("getComputedStyle(document.body).backgroundColor"))
    dark, light = (int(paper[4:].split(",")[0]) for paper in papers)
    expect(dark < 50 and light > 200, f"{papers}")
    expect(page.now()["state"]["mode"] == "mosaic", "another page")


# How many words of the drawings reach beyond them or into one another.
OVERLAPS = """(() => {
const drawn = [...document.querySelectorAll("#panels svg")];
const outside = drawn.flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  const words = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  return words.filter((word, n) => word.left < box.left || word.right > box.right ||
    word.top < box.top || word.bottom > box.bottom || words.some((other, m) => m !== n &&
      word.left < other.right && other.left < word.right &&
      word.top < other.bottom && other.top < word.bottom));
});
return [outside.length, drawn.length];
})()"""


def what_was_done_stands_above_and_below(make):
    """The line above, and curves whose words can be read."""
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--snr", "20", "--noise-samples", "100", "-o",
                   "noisy.h5", "--quiet"])
    for rule in ("discrepancy", "auto"):
        folder.run(0, ["recon", "noisy.h5", "-o", "i.h5", "--lambda", rule, "--backend",
                       "reference", "--quiet"])
        Page(BROWSER, folder, "i.h5")
        found = BROWSER.ask(OVERLAPS)
        expect(found == [0, 2], f"{rule}: words overlap: {found}")
        line = BROWSER.ask("by('headline').innerText.replace(/\\s+/g, ' ')")
        for words in ("converged, ", " % unexplained, ", " times the noise", "lambda ",
                      "chosen by ", "warning", "time "):
            expect(words in line, f"'{words}' is not in '{line}'")


# ---- scans --------------------------------------------------------------------------------------

def a_scan_before_its_reconstruction(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "radial", "--matrix", "32,32", "--coils", "3",
                   "--snr", "50", "--noise-samples", "200", "--noise-correlation", "0.5",
                   "--off-resonance-hz", "40", "-o", "s.h5", "--quiet"])
    page = Page(BROWSER, folder, "s.h5")
    with h5py.File(folder / "s.h5") as f:
        k, d, noise, field = (f[name][()] for name in ("trajectory", "samples", "noise",
                                                       "field_map"))
    panels = BROWSER.ask("data.panels")
    expect(panels["trajectory"]["samples"] == len(k), "other samples")
    drawn = BROWSER.ask(
        "data.panels.trajectory.values.map((words, d) => Array.from(new Int16Array("
        "bytes_of(words).buffer), (code) => code / 32767 * data.panels.trajectory.reach[d]))")
    expect(np.abs(np.array(drawn).T - k).max() < 1e-3, "another trajectory")
    outermost = np.argsort(-np.linalg.norm(k, axis=1))[:12]
    ends = pixels_of_trajectory(k[outermost])
    expect(min(ends) > 60, f"nothing is drawn where samples were taken: {ends}")
    BROWSER.ask("by('trajectory').querySelector('input').value = 3,"
                "by('trajectory').querySelector('input').dispatchEvent(new Event('input'))")
    of_first, opposite = pixels_of_trajectory([k[1], -k[1]])
    expect(of_first > 50 > 30 > opposite, f"the first samples: {of_first}, opposite {opposite}")
    first = np.array(panels["first"]["coils"])
    expect(np.allclose(first, np.abs(d[:, :first.shape[1]]), rtol=1e-4), "other first samples")
    expect(np.allclose(panels["first"]["radius"], np.linalg.norm(k, axis=1)[:1024] / 16,
                       atol=1e-4), "another |k|")
    expect(np.allclose(panels["noise"]["deviations"], np.sqrt((np.abs(noise) ** 2).mean(axis=1)),
                       rtol=1e-4), "another noise")
    names = BROWSER.ask("data.sets.map((set) => set.name)")
    expect(names == ["k-space", "samples per cell", "coil maps", "field map"], f"{names}")
    # Of each coil, the root of the mean energy in a cell; of the centre that is the largest.
    cells = np.clip(np.rint(k).astype(int) + 16, 0, 31)
    at = (cells == [16, 16]).all(axis=1)
    page.open("set=0&mode=slice&frame=1&x=16&y=16")
    printed = float(page.now()["text"]["value"].split()[1])
    mean = np.sqrt((np.abs(d[1, at]) ** 2).mean())
    expect(abs(printed / mean - 1) < 0.01, f"the centre of k-space has {printed}, not {mean}")
    page.open("set=1&x=16&y=16")
    printed = float(page.now()["text"]["value"].split()[3])
    expect(abs(printed - at.sum()) < 0.01 * at.sum(),
           f"{printed} samples in the centre, not {at.sum()}")
    page.open("set=3&x=10&y=20")
    printed = page.now()["text"]["value"].split()
    expect(abs(float(printed[2]) - field[20, 10]) < 0.1 and printed[3] == "Hz", f"{printed}")
    overlaps = BROWSER.ask(OVERLAPS)
    expect(overlaps == [0, 4], f"words overlap: {overlaps}")


def pixels_of_trajectory(k):
    """The brightness of the picture of 32 x 32 cells at these samples."""
    places = json.dumps((np.array(k) / 16).tolist())
    return BROWSER.ask(f"""(() => {{
      const picture = document.querySelector("#trajectory canvas");
      const context = picture.getContext("2d");
      return {places}.map(([x, y]) => {{
        const at = [x, y].map((value) => Math.round(picture.width / 2 * (1 + value / 1.04)) - 2);
        return Math.max(...context.getImageData(...at, 4, 4).data.filter((v, n) => n % 4 < 3));
      }});
    }})()""")


def scans_of_three_dimensions_and_their_warnings(make):
    folder = make()
    folder.run(0, ["simulate", "--trajectory", "radial-3d", "--matrix", "16,16,16",
                   "--undersampling", "6", "-o", "s.h5", "--quiet"])
    Page(BROWSER, folder, "s.h5")
    pictures = BROWSER.ask("[...document.querySelectorAll('#trajectory canvas')].map((one) => "
                           "one.dataset.projection)")
    expect(pictures == ["kxky", "kxkz", "kykz"], f"{pictures}")
    said = folder.run(0, ["check", "s.h5"]).stdout
    notes = [line[6:] for line in said.splitlines() if line.startswith("note: ")]
    listed = BROWSER.ask("[...document.querySelectorAll('#notes li')].map((one) => one.innerText)")
    expect(notes and notes == listed, f"check notes {notes}, the page {listed}")


if __name__ == "__main__":
    if PROGRAM is None:
        print("skipped what a browser shows: there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as profile, Browser(profile) as BROWSER:
        sys.exit(run_cases([
            a_mosaic_shows_every_slice, one_slice_by_click_keys_and_wheel,
            window_and_level_by_drag, zoom_and_cine, phases_have_cyclic_colours,
            parts_and_the_spectrum_of_a_slice, statistics_of_a_region,
            opposed_spokes_of_late_gradients_peak_apart, orientation_is_that_of_a_light_box,
            coil_maps_lie_over_the_image,
            flat_images_and_many, large_images_open_soon, failed_frames_are_crosses,
            slices_of_frames_are_volumes, dark_and_light, what_was_done_stands_above_and_below,
            a_scan_before_its_reconstruction, scans_of_three_dimensions_and_their_warnings]))
