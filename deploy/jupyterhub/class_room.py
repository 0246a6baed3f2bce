"""A class room on one machine: do the students get their servers, and is each one's work their own?

    sudo python3 deploy/jupyterhub/class_room.py --students 20 --chapter ch01_what_is_attention_for

A real JupyterHub with accounts of the system listens on 127.0.0.1. All students at once start a server, fetch the book
through nbgitpuller as its link does, open a chapter and execute every cell. Printed are seconds and memory; then one
student tries to read another's files, from a kernel and through the hub. The accounts and files are removed at the end.

It needs Linux, root (for the accounts), git, and the book's environment (`make book`), whose packages it shares.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import stat
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROXY = "configurable-http-proxy@5.3.0"
ACCOUNT = "class-room-"
CONFIGURATION = """
c.JupyterHub.bind_url = "http://127.0.0.1:{hub}"
c.JupyterHub.hub_port = {hub_api}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_api}"
c.ConfigurableHTTPProxy.command = [{node!r}, {proxy!r}]
c.JupyterHub.authenticator_class = "dummy"  # nobody logs in: the script acts for the students, with their tokens
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"  # each server runs as its student's account
c.JupyterHub.concurrent_spawn_limit = 0
c.Spawner.start_timeout = c.Spawner.http_timeout = {patience}
c.Spawner.environment = {{"OMP_NUM_THREADS": "1"}}
c.Spawner.args = ["--IdentityProvider.token=", "--ServerApp.root_dir=."]
c.JupyterHub.services = [{{"name": "teacher", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "teacher", "services": ["teacher"], "scopes": ["admin:users", "admin:servers", "tokens"]}},
    {{"name": "user", "scopes": ["self"]}},
]
c.JupyterHub.log_level = "WARN"
"""


def set_up(place: Path) -> Path:
    """A virtual environment with a hub, a proxy, and the book's packages; its Python."""
    python = place / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
    requirements = Path(__file__).with_name("requirements.txt")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements], check=True)
    (site,) = (place / "venv" / "lib").glob("python3*/site-packages")
    (book,) = (ROOT / ".venv" / "lib").glob("python3*/site-packages")
    if book.parent.name != site.parent.name:
        sys.exit(f"The book's environment has {book.parent.name}: run this script with that version of Python.")
    (site / "book.pth").write_text(f"import site; site.addsitedir({str(book)!r})\n")
    npm = ROOT / ".venv" / "bin" / "npm"
    path = {"PATH": f"{npm.parent}:{os.environ['PATH']}"}
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", place, PROXY]
    subprocess.run(command, check=True, env=os.environ | path)
    subprocess.run(["git", "clone", "--quiet", "--bare", "--depth=1", f"file://{ROOT}", place / "book.git"], check=True)
    return python


def free_ports(n: int) -> list[int]:
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


def start_hub(place: Path, python: Path, ports: dict[str, int], token: str, patience: int) -> subprocess.Popen:
    proxy = place / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
    ask = [ROOT / ".venv" / "bin" / "python", "-c", "from _ext.toolchain import NODE; print(NODE)"]
    node = subprocess.run(ask, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    settings = {"node": node, "proxy": str(proxy), "patience": patience, "token": token}
    (place / "hub").mkdir(mode=0o700)
    configuration = place / "hub" / "jupyterhub_config.py"
    configuration.write_text(CONFIGURATION.format(**ports, **settings))
    paths = os.environ | {"PATH": f"{python.parent}:{os.environ['PATH']}"}
    with (place / "hub" / "log").open("w") as log:
        command = [python, "-m", "jupyterhub", "-f", configuration]
        return subprocess.Popen(command, cwd=place / "hub", env=paths, stdout=log, stderr=log, start_new_session=True)


def add_account(name: str, home: Path) -> None:
    subprocess.run(["useradd", "--create-home", "--home-dir", home / name, "--shell", "/bin/bash", name], check=True)
    settings = home / name / ".gitconfig"
    settings.write_text("[safe]\n  directory = *\n")  # here, the repository belongs to another account
    (home / name).chmod(0o700)


class Student:
    """One student's way through the hub, in order: `enrol`, `start`, `fetch`, `execute`."""

    def __init__(self, hub: "Hub", name: str) -> None:
        self.hub, self.name, self.seconds = hub, name, {}

    async def timed(self, what: str, task) -> None:
        start = time.monotonic()
        await task
        self.seconds[what] = time.monotonic() - start

    async def enrol(self) -> None:
        await self.hub.ask(f"hub/api/users/{self.name}", method="POST")
        made = await self.hub.ask(f"hub/api/users/{self.name}/tokens", method="POST", body={})
        self.token = made["token"]

    async def start(self) -> None:
        await self.hub.ask(f"hub/api/users/{self.name}/server", method="POST", body={})
        while True:
            user = await self.hub.ask(f"hub/api/users/{self.name}")
            server = user["servers"].get("")
            if server and server["ready"]:
                return
            if not server:
                raise RuntimeError(f"the server of {self.name} did not start")
            await asyncio.sleep(0.5)

    async def fetch(self, repository: Path) -> None:
        """As https://HUB/hub/user-redirect/git-pull?repo=… does."""
        query = f"repo=file://{repository}&targetpath=book"
        told = await self.hub.ask(f"user/{self.name}/git-pull/api?{query}", token=self.token, raw=True)
        if '"phase": "finished"' not in told:
            raise RuntimeError(f"nbgitpuller said: {told[-500:]}")

    async def execute(self, chapter: str) -> None:
        from tornado.httpclient import HTTPRequest
        from tornado.websocket import websocket_connect

        path = f"book/chapters/{chapter}.ipynb"
        notebook = await self.hub.ask(f"user/{self.name}/api/contents/{path}", token=self.token)
        session = {"path": path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        made = await self.hub.ask(f"user/{self.name}/api/sessions", method="POST", body=session, token=self.token)
        address = f"ws://127.0.0.1:{self.hub.port}/user/{self.name}/api/kernels/{made['kernel']['id']}/channels"
        request = HTTPRequest(address, headers={"Authorization": f"token {self.token}"}, request_timeout=0)
        self.channel = await websocket_connect(request, max_message_size=2**30)
        for cell in notebook["content"]["cells"]:
            if cell["cell_type"] == "code":
                await self.run(cell["source"])

    async def run(self, code: str) -> str:
        """Execute a cell in the student's kernel; what it printed. An error of the cell is a `RuntimeError`."""
        header = {
            "msg_id": uuid.uuid4().hex,
            "username": "",
            "session": "s",
            "msg_type": "execute_request",
            "version": "5.3",
        }
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self.channel.write_message(json.dumps(message))
        printed = ""
        while True:
            text = await self.channel.read_message()
            if text is None:
                raise RuntimeError(f"the kernel of {self.name} hung up")
            if isinstance(text, bytes):
                continue  # the arrays of a figure
            answer = json.loads(text)
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if answer["msg_type"] == "stream":
                printed += answer["content"]["text"]
            if answer["msg_type"] == "error":
                raise RuntimeError(f"{self.name}: {answer['content']['ename']}: {answer['content']['evalue']}")
            if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                return printed

    def memory(self) -> float:
        """MB of the student's processes, shared pages counted by their share."""
        uid, total = pwd.getpwnam(self.name).pw_uid, 0
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if process.stat().st_uid == uid:
                    lines = (process / "smaps_rollup").read_text().splitlines()
                    total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            except (OSError, ProcessLookupError):
                continue  # it has ended
        return total / 1024


class Hub:
    def __init__(self, port: int, token: str, patience: int) -> None:
        from tornado.httpclient import AsyncHTTPClient

        self.port, self.token, self.patience = port, token, patience
        self.client = AsyncHTTPClient(max_clients=200)

    async def ask(self, path: str, *, method: str = "GET", body=None, token: str = "", raw: bool = False):
        sent = json.dumps(body or {}) if method == "POST" else None
        address = f"http://127.0.0.1:{self.port}/{path}"
        headers = {"Authorization": f"token {token or self.token}"}
        done = await self.client.fetch(
            address,
            method=method,
            body=sent,
            headers=headers,
            request_timeout=self.patience,
            connect_timeout=self.patience,
        )
        text = done.body.decode()
        return text if raw else json.loads(text or "null")

    async def wait(self, process: subprocess.Popen) -> None:
        while process.poll() is None:
            with contextlib.suppress(Exception):  # first nobody listens, then the proxy does, then the hub
                await self.ask("hub/api/")
                return
            await asyncio.sleep(1)
        raise RuntimeError("the hub did not start")


async def lesson(hub: Hub, names: list[str], homes: Path, repository: Path, chapter: str) -> None:
    from tornado.httpclient import HTTPClientError

    students = [Student(hub, name) for name in names]
    await asyncio.gather(*(student.enrol() for student in students))
    begin = time.monotonic()

    async def way(student: Student) -> None:
        await student.timed("start a server", student.start())
        await student.timed("fetch the book", student.fetch(repository))
        await student.timed("open and execute the chapter", student.execute(chapter))

    await asyncio.gather(*(way(student) for student in students))
    whole = time.monotonic() - begin
    print(f"{len(students)} students at once on {os.cpu_count()} cores, {chapter}: all done after {whole:.0f} s")
    for what in students[0].seconds:
        times = [student.seconds[what] for student in students]
        print(f"  {what:30s} {statistics.median(times):6.1f} s, the slowest {max(times):6.1f} s")
    memory = [student.memory() for student in students]
    print(f"  memory of a student            {statistics.median(memory):6.0f} MB, the largest {max(memory):6.0f} MB")

    reader, owner = students[:2]
    secret = homes / owner.name / "secret.txt"
    await owner.run(f"open({str(secret)!r}, 'w').write('mine')")
    code = f"try:\n    print(open({str(secret)!r}).read())\nexcept PermissionError:\n    print('refused')"
    assert await owner.run(code) == "mine\n"
    assert await reader.run(code) == "refused\n", "a student's kernel can read another's files"
    path = f"user/{owner.name}/api/contents/secret.txt"
    assert (await hub.ask(path, token=owner.token))["content"] == "mine"
    try:
        await hub.ask(path, token=reader.token)
    except HTTPClientError as error:
        assert error.code in (403, 404), error
    else:
        raise AssertionError("the hub shows a student another's files")
    print("  another's file                 refused, by the system and by the hub")


def inside(arguments: argparse.Namespace, place: Path, python: Path) -> None:
    """What runs in the environment of the hub."""
    homes, token = place / "home", secrets.token_hex(32)
    homes.mkdir()
    names = [f"{ACCOUNT}{number:02d}" for number in range(1, arguments.students + 1)]
    ports = dict(zip(("hub", "hub_api", "proxy_api"), free_ports(3), strict=True))
    process = None

    async def whole() -> None:
        hub = Hub(ports["hub"], token, arguments.patience)
        await hub.wait(process)
        await lesson(hub, names, homes, place / "book.git", arguments.chapter)

    try:
        for name in names:
            add_account(name, homes)
        process = start_hub(place, python, ports, token, arguments.patience)
        asyncio.run(whole())
    finally:
        if process:
            process.terminate()  # it ends the servers
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the proxy, if it is still there
        for name in names:
            subprocess.run(["userdel", "--force", "--remove", name], check=False, capture_output=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--chapter", default="ch01_what_is_attention_for")
    parser.add_argument("--patience", type=int, default=900, metavar="SECONDS", help="for each step")
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.place:
        inside(arguments, arguments.place, Path(sys.executable))
        return
    if os.geteuid() != 0:
        sys.exit("The class room makes accounts: run it as root, on a machine of your own or in a container.")
    closed = [path for path in Path(sys.executable).resolve().parents if not path.stat().st_mode & stat.S_IXOTH]
    if closed:
        sys.exit(
            f"The students may not enter {closed[0]}: run this script with a Python that all may run, /usr/bin/python3."
        )
    if arguments.students < 2:
        sys.exit(f"expected two students or more, got {arguments.students}")
    place = Path(tempfile.mkdtemp(prefix="class-room-"))
    place.chmod(0o755)
    try:
        python = set_up(place)
        subprocess.run([python, __file__, *sys.argv[1:], "--place", place], check=True)
    except subprocess.CalledProcessError as error:
        log = place / "hub" / "log"
        sys.exit(f"{log.read_text()[-3000:] if log.exists() else ''}\n{error}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
