"""A terminal as a picture: the commands and the output of a console block as SVG."""
from xml.sax.saxutils import escape

CHARACTER, LINE, MARGIN, BAR = 8.4, 20, 16, 28  # widths and heights in pixels


def draw(lines):
    """The text of an SVG file. Lines that begin with `$ ` are commands; each character has its column."""
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    width = round(2 * MARGIN + CHARACTER * max(map(len, lines), default=0))
    height = BAR + MARGIN + LINE * len(lines)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
           f"<title>{escape('; '.join(commands))}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#1b1f24"/>']
    svg += [f'<circle cx="{MARGIN + 4 + 18 * i}" cy="16" r="5" fill="#59636e"/>' for i in range(3)]
    svg.append('<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" '
               'font-size="14" fill="#d1d7e0">')
    is_command = False
    for number, line in enumerate(lines):
        is_command = line.startswith("$ ") or (is_command and line.startswith("> "))
        if line.strip():
            style = ' fill="#7ee787" font-weight="bold"' if is_command else ""
            begin = len(line) - len(line.lstrip())
            text = escape(line.strip().replace(" ", "\u00a0"))  # a browser would join spaces
            svg.append(f'<text x="{MARGIN + CHARACTER * begin:g}" y="{BAR + 14 + LINE * number}" '
                       f'textLength="{CHARACTER * len(line.strip()):g}"{style}>{text}</text>')
    return "\n".join([*svg, "</g>", "</svg>", ""])
