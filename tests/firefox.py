"""Firefox, driven by the protocol that it speaks itself (WebDriver BiDi), with no network."""

import itertools
import json
import shutil
import socket
import subprocess
import time

# Nothing is looked for, updated or sent, and every address leads to a proxy that is not there.
PREFERENCES = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.startup.page": 0,
    "network.captive-portal-service.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "remote.active-protocols": 1,
}


class Firefox:
    """A browser with one window, and its profile in a new folder."""

    def __init__(self, folder):
        import websocket

        folder.mkdir(parents=True, exist_ok=True)
        (folder / "user.js").write_text(
            "".join(
                f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                for name, value in PREFERENCES.items()
            )
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        self._process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-remote",
                f"--profile={folder}",
                f"--remote-debugging-port={port}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._numbers = itertools.count(1)
        self._socket = self._connect(websocket, f"ws://127.0.0.1:{port}/session")
        self.complaints = []
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded"])
        (window,) = self.command("browsingContext.getTree")["contexts"]
        self._window = window["context"]

    def _connect(self, websocket, address):
        deadline = time.monotonic() + 60
        while True:
            try:
                return websocket.create_connection(address, timeout=60, suppress_origin=True)
            except OSError:
                assert time.monotonic() < deadline, "Firefox did not start"
                time.sleep(0.2)

    def command(self, method, **params):
        """Send a command and return its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") == "log.entryAdded":
                if message["params"]["level"] in ("error", "warn"):
                    self.complaints.append(message["params"]["text"])
            elif message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]

    def load(self, file, route=""):
        """Load a report anew, at a route."""
        for address in ("about:blank", f"{file.as_uri()}#/{route}"):
            self.command(
                "browsingContext.navigate", context=self._window, url=address, wait="complete"
            )

    def run(self, expression):
        """Return the value of an expression; a promise is waited for."""
        result = self.command(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._window},
            awaitPromise=True,
        )
        assert result["type"] == "success", result
        return json.loads(result["result"].get("value", "null"))

    def wait(self, expression, seconds=20):
        """Wait until an expression is true."""
        deadline = time.monotonic() + seconds
        while not self.run(expression):
            assert time.monotonic() < deadline, f"waited {seconds} s for {expression}"
            time.sleep(0.05)

    def screenshot(self, file):
        """Save the whole page as a picture."""
        import base64

        shot = self.command(
            "browsingContext.captureScreenshot", context=self._window, origin="document"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def quit(self):
        """End the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=30)
