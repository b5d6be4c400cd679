"""What this package needs beyond hoplab's own dependencies; imported first."""

from hoplab.base.errors import require

require("scipy", "hoplab bound")
