"""Class rooms and the dev container name versions and places that are there."""

import json
import re

import yaml

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


def test_the_link_opens_a_chapter():
    link = re.search(r"https://HUB/\S+", (HUB / "README.md").read_text())[0]
    (chapter,) = re.findall(r"book%2F(chapters%2F\S+\.ipynb)", link)
    assert (ROOT / chapter.replace("%2F", "/")).exists()


def test_the_dev_container_sets_up_what_make_does():
    text = (ROOT / ".devcontainer" / "devcontainer.json").read_text()
    settings = json.loads("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")))
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(\S+/\.\w+)", settings["postCreateCommand"].partition("&&")[0]):
        assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), target
    minor = int(re.search(r"python:3\.(\d+)", settings["image"])[1])
    assert minor >= 11
    assert settings["forwardPorts"] == [int(re.search(r"^PORT \?= (\d+)", makefile, re.MULTILINE)[1])]
