#!/usr/bin/env python3
"""The page of lsrecon view in a real browser: it shows what the file holds, and something else
after scrolling. Skipped (77) where there is no browser.

    view_in_browser.py LSRECON"""

import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy as np

from images import rng, write_image
from in_folders import expect, run_cases
from pixels import pixels

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
EVIL = "</script><script>document.body.innerHTML = ''</script>\"'&"


def browse(folder, page, hash_words, *flags):
    """What the browser says of the page, once its scripts have run."""
    url = "file://" + os.path.join(folder.path, page) + "#" + hash_words
    run = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--force-color-profile=srgb", "--window-size=1300,900", "--virtual-time-budget=5000",
         f"--user-data-dir={folder / 'browser'}", *flags, url],
        cwd=folder.path, capture_output=True, text=True, timeout=100, check=False)
    expect(run.returncode == 0, f"the browser failed: {run.stderr[-500:]}")
    return run.stdout


def until_drawn(look, is_drawn):
    """The browser's clock does not wait for pictures that it decodes: it may stop before them."""
    for _ in range(9):
        found = look()
        if is_drawn(found):
            break
    return found


def shown(folder, page, hash_words, last=r'<output id="value"[^>]*>[^<]'):
    """The elements' texts by their id, once the last of them is there."""
    dom = until_drawn(lambda: browse(folder, page, hash_words, "--dump-dom"),
                      lambda text: re.search(last, text))
    found = dict(re.findall(r'<output id="(\w+)"[^>]*>([^<]*)</output>', dom))
    found["curves"] = dom.count("<polyline")
    found["canvases"] = len(re.findall(r'<canvas id="plane_\w+" width="[1-9]', dom))
    found["hidden"] = dom.count("<figure hidden")
    found["dom"] = dom
    return found


def screenshot(folder, page, hash_words):
    """Grey values [row, column] of what the window shows."""
    def look():
        browse(folder, page, hash_words, "--screenshot=shot.png")
        return pixels(folder / "shot.png")
    return until_drawn(look, lambda values: np.ptp(values[120:, :300]) > 0)


def add_script(folder, page, script, output):
    with open(folder / page, encoding="utf-8") as f:
        words = f.read()
    with open(folder / output, "w", encoding="utf-8") as f:
        f.write(words.replace("</body>", script + "</body>"))


def phantom():
    """Two frames of 12 x 20 x 16 voxels: slice z is bright in its first z columns."""
    values = np.full((2, 12, 20, 16), 0.01, complex)
    for z in range(12):
        values[:, z, :, :z] = 4j
    values[1] *= 0.25
    return values


def add_sections(path):
    with h5py.File(path, "r+") as f:
        f["record/residuals"] = np.array([[[1, 0.1, 0.01]], [[1, 0.2, np.nan]]])
        f["record"].attrs["remark"] = EVIL
        f["coil_maps"] = (rng.normal(size=(3, 12, 20, 16)) + 2).astype("c8")
        noise = np.full((12, 20, 16), 1.0)
        noise[3, 2, 1] = 2.5
        f["noise_map"] = noise


def a_browser_shows_the_file(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24), labels=["first", EVIL])
    add_sections(folder / "i.h5")
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    found = shown(folder, "p.html", "x=3&y=2&z=5")
    expect(found["value"] == "magnitude 4.00", f"{found['value']} where it is 4")
    expect(found["place"] == "3, 2, 5" and found["frame_label"] == "0: first", "another place")
    expect(found["canvases"] == 3 and found["hidden"] == 0, "not three planes")
    expect(found["curves"] == 2, f"{found['curves']} residual curves")
    expect("<td>&lt;/script&gt;&lt;script&gt;" in found["dom"], "the record is not escaped text")
    other = shown(folder, "p.html", "x=9&y=2&z=5&frame=1&part=phase")
    expect(other["value"].startswith("phase 0.0") and "&lt;/script&gt;" in other["dom"],
           "another phase, or a label that is not escaped")
    # Of 255 steps in the square root.
    later = float(shown(folder, "p.html", "x=3&y=2&z=5&frame=1")["value"].split()[1])
    expect(abs(later - 1) < 0.02, f"frame 1 is {later}")
    noise = shown(folder, "p.html", "set=2&x=1&y=2&z=3")
    expect(noise["value"] == "magnitude 2.50", f"a noise of {noise['value']}")
    expect(shown(folder, "p.html", "set=1&frame=2")["frame_label"] == "2: coil 2", "no coil maps")


def scrolling_changes_the_picture(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    bright = {z: int((screenshot(folder, "p.html", f"x=0&y=0&z={z}")[120:, :300] > 200).sum())
              for z in (0, 4, 8)}
    # The plane of x and y is 240 x 300 pixels; 16 columns of it.
    expect(bright[0] < 2000, f"slice 0 is not black: {bright}")
    for z in (4, 8):
        expect(abs(bright[z] - bright[0] - 240 * 300 * z / 16) < 3000, f"slice {z}: {bright}")
    dark = screenshot(folder, "p.html", "x=0&y=0&z=8&low=0&high=16")[120:, :300]
    expect((dark > 200).sum() < 2000 and (dark > 55).sum() > 30000, "the window has no effect")


# What a user does with mouse and sliders, once the page shows a voxel.
GESTURES = """<script>
const gestures = () => {
  const plane = document.getElementById("plane_xy");
  for (let n = 0; n < 2; ++n) {
    plane.dispatchEvent(new WheelEvent("wheel", { deltaY: 100, cancelable: true }));
  }
  const box = plane.getBoundingClientRect();
  plane.dispatchEvent(new MouseEvent("mousedown", {
    clientX: box.left + box.width * 3.5 / 16, clientY: box.top + box.height * 2.5 / 20 }));
  for (const [id, value] of [["frame", 1], ["low", 250], ["high", 500]]) {
    document.getElementById(id).value = value;
    document.getElementById(id).dispatchEvent(new Event("input"));
  }
};
const place_shown = document.getElementById("place");
if (place_shown.textContent) {
  gestures();
} else {
  new MutationObserver((changes, observer) => { observer.disconnect(); gestures(); })
    .observe(place_shown, { childList: true });
}
</script>
"""


def mouse_and_sliders_move(make):
    folder = make()
    write_image(folder / "i.h5", phantom(), (16, 20, 24))
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    add_script(folder, "p.html", GESTURES, "moved.html")
    before = shown(folder, "p.html", "z=5")
    expect(before["place"] == "8, 10, 5" and before["frame_label"] == "0", f"at {before['place']}")
    moved = shown(folder, "moved.html", "z=5", last='id="frame_label"[^>]*>1<')
    expect(moved["place"] == "3, 2, 7", f"the mouse led to {moved['place']}")
    expect(moved["frame_label"] == "1", "the slider of frames")
    expect((moved["low_value"], moved["high_value"]) == ("1.00", "2.00"), "the window's sliders")


# How many words of the drawings reach beyond them or into one another.
WORDS = """<script>
const drawn = [...document.querySelectorAll("svg")];
const outside = drawn.flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  const words = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  return words.filter((word, n) => word.left < box.left || word.right > box.right ||
    word.top < box.top || word.bottom > box.bottom || words.some((other, m) => m !== n &&
      word.left < other.right && other.left < word.right &&
      word.top < other.bottom && other.top < word.bottom));
});
document.body.insertAdjacentHTML("beforeend",
  `<output id="outside">${outside.length} in ${drawn.length} drawings</output>`);
</script>
"""


def words_of_drawings_can_be_read(make):
    folder = make()
    folder.run(0, ["simulate", "--matrix", "16,16", "--snr", "20", "--noise-samples", "100", "-o",
                   "noisy.h5", "--quiet"])
    for rule in ("discrepancy", "auto"):
        folder.run(0, ["recon", "noisy.h5", "-o", "i.h5", "--lambda", rule, "--backend",
                       "reference", "--quiet"])
        folder.run(0, ["view", "i.h5", "-o", "p.html"])
        add_script(folder, "p.html", WORDS, "words.html")
        found = shown(folder, "words.html", "")
        expect(found["outside"] == "0 in 2 drawings", f"{rule}: words overlap: {found['outside']}")


def flat_images_and_slices(make):
    folder = make()
    values = np.full((3, 4, 5), 0.1)
    values[1, 2, 3] = 7
    rows = np.eye(3)
    write_image(folder / "i.h5", values, (50, 40))
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    found = shown(folder, "p.html", "x=3&y=2&frame=1")
    expect(found["value"] == "magnitude 7.00" and found["hidden"] == 2, "a flat image")
    expect("across x, down y" in found["dom"], "directions that nobody knows")
    write_image(folder / "i.h5", values, (50, 40), np.zeros(3), rows,
                [4 * rows[2], 2 * rows[2], 0 * rows[2]])
    folder.run(0, ["view", "i.h5", "-o", "p.html"])
    found = shown(folder, "p.html", "x=3&y=2&z=1")
    expect(found["value"] == "magnitude 7.00" and found["hidden"] == 0, "slices are no volume")
    expect("across x to L, down y to P, slice z to H" in found["dom"], "no directions")


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped what a browser shows: there is no chromium")
        sys.exit(77)
    sys.exit(run_cases([a_browser_shows_the_file, scrolling_changes_the_picture,
                        mouse_and_sliders_move, words_of_drawings_can_be_read,
                        flat_images_and_slices]))
