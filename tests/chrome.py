"""Chromium, driven by its driver, with no network."""

import json
import shutil
import time

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-ipc-flooding-protection",  # a test visits all pages at once
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    # No name is resolved, so that a page that asks for anything fails.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")
# What happens on a page, noted from its first moment on
WATCH = """
window.seen = {route: null, errors: [], paint: null, tasks: []};
addEventListener("error", (e) => seen.errors.push(`error: ${e.message}`));
addEventListener("unhandledrejection", (e) => seen.errors.push(`rejected: ${e.reason}`));
addEventListener("securitypolicyviolation",
  (e) => seen.errors.push(`refused by policy: ${e.violatedDirective} ${e.blockedURI}`));
document.addEventListener("page", (e) => { seen.route = e.detail.route; });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.name === "first-contentful-paint") seen.paint = entry.startTime;
  }
}).observe({type: "paint", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
}).observe({type: "longtask", buffered: true});
"""


class Chrome:
    """A browser with one window, and its profile in a new folder."""

    def __init__(self, folder):
        from selenium.webdriver import Chrome as Driver
        from selenium.webdriver import ChromeOptions
        from selenium.webdriver.chrome.service import Service

        options = ChromeOptions()
        options.binary_location = find_program("chromium", "chromium-browser", "google-chrome")
        for option in (*OPTIONS, f"--user-data-dir={folder}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Driver(options=options, service=Service(find_program("chromedriver")))
        self.driver.set_script_timeout(60)
        self.command("Network.enable")
        self.command(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def quit(self):
        """End the browser."""
        self.driver.quit()

    def command(self, name, **params):
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, params)

    def resize(self, width, height):
        """Set the size of the window's content."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def media(self, kind="", scheme="light"):
        """Pretend to be a printer, or a system that prefers a color scheme."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.command("Emulation.setEmulatedMedia", media=kind, features=features)

    # --- pages --------------------------------------------------------------------------------

    def open(self, file, route=""):
        """Load a report anew, at a route, in a wide window in the light."""
        self.resize(1280, 900)
        self.media()
        self.load(file, route)

    def load(self, file, route=""):
        """Load a report anew, at a route."""
        self.driver.get("about:blank")
        self.clear()
        self.driver.get(f"{file.as_uri()}#/{route}")
        self.wait_for_page(route)

    def go(self, route):
        """Follow the address of another page of the report."""
        self.run(
            """const hash = `#/${arguments[0]}`;
          if (location.hash !== hash) { seen.route = null; location.hash = hash; }""",
            route,
        )
        self.wait_for_page(route)

    def wait_for_page(self, route):
        """Wait until a page is shown."""
        name = route.partition("?")[0]
        self.wait(lambda: self.run("return window.seen && seen.route") == name, f"#/{route}")
        self.settle()

    def settle(self):
        """Wait two frames, after which all that the page draws at once is there."""
        self.later("requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def wait(self, condition, what="", seconds=20):
        """Wait until a condition holds and return its value."""
        deadline = time.monotonic() + seconds
        while not (result := condition()):
            assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
            time.sleep(0.02)
        return result

    def run(self, script, *arguments):
        """Run a script in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def later(self, script, *arguments):
        """Run a script that calls ``done(value)`` at its end."""
        body = "const done = arguments[arguments.length - 1];" + script
        return self.driver.execute_async_script(body, *arguments)

    def find(self, selector):
        """Return the first element that a CSS selector finds."""
        result = self.find_all(selector)
        assert result, f"nothing on {self.driver.current_url.partition('#')[2]} is {selector}"
        return result[0]

    def find_all(self, selector):
        """Return all elements that a CSS selector finds."""
        return self.driver.find_elements("css selector", selector)

    def texts(self, selector):
        """Return the text of the elements that are shown."""
        script = """return [...document.querySelectorAll(arguments[0])]
          .filter((e) => e.checkVisibility()).map((e) => e.textContent.trim())"""
        return self.run(script, selector)

    # --- keyboard and mouse -------------------------------------------------------------------

    def press(self, *keys):
        """Press keys one after the other, with the names of selenium's ``Keys``."""
        from selenium.webdriver import ActionChains, Keys

        actions = ActionChains(self.driver, duration=0)
        for key in keys:
            actions.send_keys(getattr(Keys, key, key))
        actions.perform()

    def point(self, element, x, y):
        """Move the mouse to a place in an element, in pixels from its upper left corner."""
        left, top = self._corner(element)
        self._mouse("mouseMoved", left + x, top + y)

    def drag(self, element, start, end):
        """Drag from one place in an element to another."""
        left, top = self._corner(element)
        (x0, y0), (x1, y1) = start, end
        self._mouse("mouseMoved", left + x0, top + y0)
        self._mouse("mousePressed", left + x0, top + y0)
        for step in range(1, 6):
            at = step / 5
            self._mouse("mouseMoved", left + x0 + (x1 - x0) * at, top + y0 + (y1 - y0) * at, 1)
        self._mouse("mouseReleased", left + x1, top + y1)

    def _corner(self, element):
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        box = self.run("return arguments[0].getBoundingClientRect().toJSON()", element)
        return box["left"], box["top"]

    def _mouse(self, kind, x, y, held=0):
        button = "none" if kind == "mouseMoved" and not held else "left"
        self.command(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button=button,
            buttons=held,
            clickCount=int(kind != "mouseMoved"),
        )

    # --- what happened ------------------------------------------------------------------------

    def clear(self):
        """Forget what was logged so far."""
        for log in ("browser", "performance"):
            self.driver.get_log(log)

    def errors(self):
        """Return what the console and the page have complained about since the last call."""
        logged = [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]
        return logged + (self.run("return window.seen ? seen.errors.splice(0) : []") or [])

    def requests(self):
        """Return the addresses outside the file that were asked for since the last call."""
        result = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                result.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                result.append(message["params"]["url"])
        return [address for address in result if not address.startswith(LOCAL)]

    def screenshot(self, file):
        """Save the whole page as a picture."""
        import base64

        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": min(size["height"], 6000),
            "scale": 1,
        }
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(shot["data"]))


def find_program(*names):
    """Return the path of the first program that is installed."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise FileNotFoundError(
        f"{names[0]} is not installed: apt-get install chromium chromium-driver"
    )
