"""The list of licences names every package of requirements.txt and every font of the site."""

from email.message import Message

from _ext.lean_page import SANS, SERIF
from _ext.licences import FONTS, NODE_MODULES, licence_of, rows
from harness.site import ROOT


def test_every_package_and_every_font_has_a_version_and_a_licence():
    result = {name: (version, licence) for name, version, licence in rows()}
    pinned = [line.partition(" ")[0] for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line]
    assert [f"{name}=={result[name][0]}" for name in [*result][: len(pinned)]] == pinned
    assert result["numpy"][1].startswith("BSD-3-Clause") and result["Source Serif 4"][1] == "OFL-1.1"
    assert {SERIF, SANS} <= {NODE_MODULES / path for path in FONTS.values()}
    assert all(licence not in ("", "not stated", "UNKNOWN") for _, licence in result.values())
    assert all("\n" not in licence for _, licence in result.values())


def test_a_licence_is_named_in_four_ways():
    package = Message()
    assert licence_of(package) == "not stated"
    package["License"] = (
        "Copyright 2026\n\nPermission is hereby granted, free of\ncharge, to any person obtaining a copy …"
    )
    assert licence_of(package) == "MIT"
    package["Classifier"] = "License :: OSI Approved :: BSD License"
    assert licence_of(package) == "BSD License"
    package["License-Expression"] = "BSD-3-Clause"
    assert licence_of(package) == "BSD-3-Clause"
