"""Chromium without a window, driven over its pipe for debuggers: pages are opened, keys and mouse
pressed as a user presses them, and what a page holds is asked for."""

import json
import os
import select
import shutil
import subprocess
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 90  # for an answer, on a busy machine


class Browser:
    """with Browser(folder) as browser: ..."""

    def __init__(self, folder, width=1300, height=900):
        to_it, self._out = os.pipe()
        self._in, from_it = os.pipe()
        def own_ends():
            os.dup2(to_it, 13)  # 3 and 4 may be among these ends
            os.dup2(from_it, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--force-color-profile=srgb", f"--window-size={width},{height}",
             f"--user-data-dir={os.path.join(folder, 'browser')}", "--remote-debugging-pipe"],
            preexec_fn=own_ends, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self._rest, self._count, self._session, self._said = b"", 0, None, []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target,
                                   flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._process.terminate()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def _next(self):
        """The next message of the browser."""
        end = time.time() + SECONDS
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0, end - time.time()))[0]:
                raise TimeoutError("the browser says nothing")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self._rest += more
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _call(self, method, **params):
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._said.append(answer)

    def open(self, path, hash_words=""):
        """Opens a file anew; the URLs that it asks for and its errors are kept."""
        for url in ("about:blank", "file://" + os.path.abspath(path) + "#" + hash_words):
            self._said = []
            self._call("Page.navigate", url=url)
            while not any(one.get("method") == "Page.loadEventFired" for one in self._said):
                self._said.append(self._next())
        self.settle()

    def errors(self):
        """What went wrong in the page's scripts."""
        return [one["params"]["exceptionDetails"] for one in self._said
                if one.get("method") == "Runtime.exceptionThrown"]

    def requests(self):
        """The URLs that the page asked for, itself left out."""
        urls = [one["params"]["request"]["url"] for one in self._said
                if one.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("file://") and url != "about:blank"]

    def ask(self, expression):
        """The value of an expression in the page."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True,
                            awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Waits until the page was drawn again, also for a new size."""
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
                 "setTimeout(done))))")

    def press(self, *keys):
        """Keys by their names, " " for the space bar."""
        for key in keys:
            code = {"Enter": 13, "Home": 36, "End": 35, "ArrowUp": 38, "ArrowDown": 40,
                    "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27}
            text = {"text": key} if len(key) == 1 else {}
            number = code.get(key, ord(key[0].upper()))
            self._call("Input.dispatchKeyEvent", type="keyDown", key=key,
                       windowsVirtualKeyCode=number, **text)
            self._call("Input.dispatchKeyEvent", type="keyUp", key=key,
                       windowsVirtualKeyCode=number)
        self.settle()

    def _mouse(self, kind, place, **more):
        self._call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def click(self, x, y):
        self.drag((x, y))

    def drag(self, *positions, modifiers=0):
        """Presses at the first position, moves over the others and lets go at the last."""
        self._mouse("mouseMoved", positions[0])
        self._mouse("mousePressed", positions[0], button="left", clickCount=1, modifiers=modifiers)
        for position in positions[1:]:
            self._mouse("mouseMoved", position, button="left", buttons=1, modifiers=modifiers)
        self._mouse("mouseReleased", positions[-1], button="left", clickCount=1,
                    modifiers=modifiers)
        self.settle()

    def move(self, x, y):
        self._mouse("mouseMoved", (x, y))
        self.settle()

    def wheel(self, x, y, delta, modifiers=0):
        """Turns it; `modifiers` is 2 for Ctrl."""
        self._mouse("mouseWheel", (x, y), deltaX=0, deltaY=delta, modifiers=modifiers)
        self.settle()

    def prefer(self, scheme):
        """"dark" or "light"."""
        self._call("Emulation.setEmulatedMedia",
                   features=[{"name": "prefers-color-scheme", "value": scheme}])
