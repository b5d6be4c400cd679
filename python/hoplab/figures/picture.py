"""Pictures as HTML elements, for notebooks."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from hoplab.base.errors import MissingPackageError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def picture_html(draw_into: Callable[[Axes], object], *, size: tuple[float, float] = (5.6, 3.2)) -> str:
    """What a function draws, as an image element of so many inches that refers to no file."""
    try:
        require("matplotlib", "a picture")
    except MissingPackageError as error:
        return f"<p>{html.escape(str(error))}</p>"
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw_into(figure.add_subplot())
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
