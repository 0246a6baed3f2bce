"""Class rooms and the dev container name versions and places that are there."""

import json
import re

import yaml
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

from harness.site import ROOT

HUB = ROOT / "deploy" / "jupyterhub"


def test_the_hub_of_the_students_is_that_of_the_chart():
    pins = dict(line.split("==") for line in (HUB / "requirements.txt").read_text().splitlines() if "==" in line)
    assert set(pins) == {"jupyterhub", "nbgitpuller"}
    chart = re.search(r'"Zero to JupyterHub", (\d+\.\d+)', (HUB / "zero-to-jupyterhub.yaml").read_text())[1]
    hub_of_chart = {"4.4": "5.5"}  # the appVersion of the chart
    assert pins["jupyterhub"].startswith(f"{hub_of_chart[chart]}.")
    assert f"nbgitpuller=={pins['nbgitpuller']}" in (HUB / "README.md").read_text()
    assert f"--version {chart}." in (HUB / "README.md").read_text()


def test_the_values_of_the_cluster_start_the_image_that_the_dockerfile_makes():
    values = yaml.safe_load((HUB / "zero-to-jupyterhub.yaml").read_text())
    image = values["singleuser"]["image"]
    dockerfile = (HUB / "Dockerfile").read_text()
    assert f"--tag {image['name']}:{image['tag']}" in dockerfile
    for sources in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source


def test_the_link_opens_a_student_notebook_of_the_students_branch():
    readme = (HUB / "README.md").read_text()
    link = re.search(r"https://HUB/\S+", readme)[0]
    (chapter,) = re.findall(r"book%2F(ch\d\d_\w+\.ipynb)", link)
    assert (ROOT / "chapters" / chapter).exists()
    (branch,) = re.findall(r"make notebooks BRANCH=(\w+)", readme)
    assert f"&branch={branch}&" in link
    values = yaml.safe_load((HUB / "zero-to-jupyterhub.yaml").read_text())
    assert values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"][2] == branch


def test_the_sums_of_a_class_of_sixty_are_right():
    readme = (HUB / "README.md").read_text()
    server = int(re.search(r"server takes (\d+) MB", readme)[1])
    table = {title: int(memory) for title, memory in re.findall(r"^\| (.+) \| (\d+) \|$", readme, re.MULTILINE)}
    sums = re.findall(r"\*([^*]+)\* \((\d+) MB\),\s.*?(\d+) GB.*?\s(\d+)\s+GB", readme, re.DOTALL)
    assert len(sums) == 2
    for title, kernel, together, machine in sums:
        assert table[title] == int(kernel)
        gigabytes = 60 * (server + int(kernel)) / 1000
        assert (round(gigabytes), round(1.5 * gigabytes)) == (int(together), int(machine))
    assert max(table.values()) == int(sums[1][1])
    values = yaml.safe_load((HUB / "zero-to-jupyterhub.yaml").read_text())
    assert values["singleuser"]["memory"]["limit"] == "2G" and "limits.memory 2G" in readme
    assert sorted(table.values())[-1] + sorted(table.values())[-2] + server < 2000


def test_kernels_that_nobody_uses_are_stopped_on_both_kinds_of_hub():
    settings = json.loads((HUB / "jupyter_server_config.json").read_text())["MappingKernelManager"]
    assert settings.keys() <= set(MappingKernelManager.class_trait_names())
    assert settings["cull_connected"] and not settings["cull_busy"]
    minutes = re.search(r"nobody has used for (\d+) minutes", (HUB / "README.md").read_text())[1]
    assert settings["cull_idle_timeout"] == 60 * int(minutes)
    for file in ("README.md", "Dockerfile"):
        assert "deploy/jupyterhub/jupyter_server_config.json" in (HUB / file).read_text()


def test_the_dev_container_sets_up_what_make_does():
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text()
    settings = json.loads("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")))
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(\S+/\.\w+)", settings["postCreateCommand"].partition("&&")[0]):
        assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), target
    minor = int(re.search(r"python:3\.(\d+)", settings["image"])[1])
    assert minor >= 11
    assert settings["forwardPorts"] == [int(re.search(r"^PORT \?= (\d+)", makefile, re.MULTILINE)[1])]
