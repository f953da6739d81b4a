#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours of causes are told apart, on light and dark pages, by all eyes: distances in CIELAB of what is seen without red or green receptors (Machado 2009).
So are those of speed-ups, and text can be read on them."""

import itertools
import math
import os
import re
import sys

ROOT = os.environ.get("WW_SOURCE_DIR") or os.path.normpath(os.path.join(__file__, "../../../.."))
LEAST = 5  # a just noticeable difference is 2.3
EYES = {
    "any eye": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}
XYZ = ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0178, 0.1095, 0.8727))  # of linear sRGB, white is (1, 1, 1)


def times(matrix, v):
    return [sum(a * b for a, b in zip(row, v)) for row in matrix]


def lab(colour, eye):
    digits = colour if len(colour) == 6 else "".join(2 * c for c in colour)
    srgb = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in srgb]
    seen = times(XYZ, [min(1, max(0, v)) for v in times(EYES[eye], linear)])
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in seen)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def luminance(colour):
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4))]
    return sum(a * b for a, b in zip(linear, (0.2126, 0.7152, 0.0722)))


def speed_ups(page, text):
    """d0 to d8, slower to faster: each is told from all others by all eyes; text has the contrast of WCAG AA."""
    steps = dict(re.findall(r"--(d[0-8]|text): #([0-9a-f]{6});", text.split("@media")[0]))
    assert len(steps) == 10, steps
    ink = luminance(steps.pop("text"))
    wrong = []
    for (a, x), (b, y) in itertools.combinations(steps.items(), 2):
        wrong += [f"{page}, {eye}: {a} and {b} are {math.dist(lab(x, eye), lab(y, eye)):.1f} apart; expected {LEAST} or more"
                  for eye in EYES if math.dist(lab(x, eye), lab(y, eye)) < LEAST]
    for name, colour in steps.items():
        low, high = sorted((ink, luminance(colour)))
        if (high + 0.05) / (low + 0.05) < 4.5:
            wrong.append(f"{page}: text on {name} has a contrast of {(high + 0.05) / (low + 0.05):.1f}; expected 4.5 or more")
    return wrong


def main():
    with open(os.path.join(ROOT, "web/style.css"), encoding="utf-8") as file:
        light, dark = file.read().split("@media (prefers-color-scheme: dark)", 1)
    wrong = []
    colours = {}
    for page, text in (("light", light), ("dark", dark)):
        colours.update(re.findall(r"--(?:c-)?(ground|[a-z_]+): #([0-9a-f]+);", "\n".join(re.findall(r"--c-[a-z_]+: #[0-9a-f]+;|--ground: #[0-9a-f]+;", text.split("@media")[0]))))
        assert len(colours) > 25, colours
        wrong += speed_ups(page, text)
        for (a, x), (b, y) in itertools.combinations(colours.items(), 2):
            for eye in EYES:
                apart = math.dist(lab(x, eye), lab(y, eye))
                if apart < LEAST:
                    wrong.append(f"{page}, {eye}: {a} #{x} and {b} #{y} are {apart:.1f} apart; expected {LEAST} or more")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
