"""Documents without a kernel: as one HTML page, an SVG, a plain table, or text."""
