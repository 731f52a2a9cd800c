"""A film of panels: each map or chart stands for a while and fades into the next; as GIF, MP4 or WebM.

A frame at the moment of a picture is that picture; those between two are a blend of their colours and no record. Only
maps with the same names and scale fade: blended, the names of others would lie over one another.
"""

import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from encoder.pictures.paper.paint import paint
from encoder.pictures.paper.printed_panel import Panel
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import SETTINGS, drawing
from encoder.support.errors import EncoderError
from encoder.support.progress import shares
from encoder.support.theme import Theme

Kind = Literal["gif", "mp4", "webm"]
SIZES: dict[str, tuple[int, int]] = {"360p": (640, 360), "720p": (1280, 720), "1080p": (1920, 1080)}
RATES: dict[Kind, int] = {"gif": 10, "mp4": 25, "webm": 25}  # frames a second
CODECS: dict[Kind, list[str]] = {
    "mp4": ["-preset", "veryfast", "-crf", "18", "-movflags", "+faststart"],
    "webm": ["-deadline", "realtime", "-cpu-used", "8", "-crf", "24", "-b:v", "0"],
}
DPI = 144
MOST_PICTURES = 64
MOST_SECONDS = 60.0
FADE = 0.35  # of a picture's time, in which it becomes the next
Progress = Callable[[float], None]
Frame = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, eq=False)
class Film:
    """Pictures one after the other, over so many seconds in all, in a size of so many pixels.

    Raises:
        EncoderError: fewer than 2 pictures or more than 64, more than a minute, or a size that is not one of SIZES.
    """

    pictures: tuple[Panel, ...]
    seconds: float = 8.0
    size: str = "720p"
    theme: Theme = "light"
    words_only: bool = False
    numbers: bool = False

    def __post_init__(self) -> None:
        if not 2 <= len(self.pictures) <= MOST_PICTURES:
            raise EncoderError(f"there are {len(self.pictures)} pictures; a film has 2 to {MOST_PICTURES}")
        if not 0.5 <= self.seconds <= MOST_SECONDS:
            raise EncoderError(f"seconds is {self.seconds}; it must be from 0.5 to {MOST_SECONDS:g}")
        if self.size not in SIZES:
            raise EncoderError(f"size is {self.size!r}; it must be one of {', '.join(SIZES)}")

    def still(self, at: int) -> Frame:
        """The frame at the moment of a picture: [height, width, 3], red, green and blue."""
        wide, high = SIZES[self.size]
        scale = high / 720
        sheet = Sheet(
            width=wide / DPI * 25.4 / scale,
            height=high / DPI * 25.4 / scale,
            letters=11.0,
            columns=1,
            theme=self.theme,
            words_only=self.words_only,
            numbers="fit" if self.numbers else "none",
        )
        with drawing, rc_context(SETTINGS):  # type: ignore[arg-type]
            figure = paint((self.named_alike(at),), sheet)
            figure.set_dpi(DPI * scale)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()  # type: ignore[no-untyped-call]
            drawn = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
            return drawn[:high, :wide, :3].copy()

    def named_alike(self, at: int) -> Panel:
        """A picture with the same rows and columns named as in the first one that has them."""
        panel = self.pictures[at]
        first = next((other.maps[0] for other in self.pictures if sides(other) == sides(panel) and other.maps), None)
        return (
            panel if first is None else replace(panel, maps=tuple(replace(m, subject=first.named) for m in panel.maps))
        )

    def fades(self, at: int) -> bool:
        """Whether a picture fades into the next one: nothing but colours and the title is another there."""
        ours, theirs = self.pictures[at : at + 2]
        return bool(ours.maps) and not self.numbers and sides(ours) == sides(theirs)

    def frames(self, rate: int) -> Iterator[tuple[Frame, float]]:
        """Every frame that differs from the one before it, and for how many seconds it stands."""
        each = self.seconds / len(self.pictures)
        fading = min(max(1, round(each * FADE * rate)), max(0, math.ceil(each * rate) - 1))  # less than a picture has
        now = self.still(0)
        for at in range(len(self.pictures)):
            last = at + 1 == len(self.pictures)
            steps = 0 if last or not self.fades(at) else fading
            yield now, each - steps / rate
            if last:
                return
            then = self.still(at + 1)
            for step in range(1, steps + 1):
                share = step / (steps + 1)
                yield np.rint(now + (then.astype(np.float32) - now) * share).astype(np.uint8), 1 / rate
            now = then


def sides(panel: Panel) -> list[tuple[object, ...]]:
    """What stands beside and in the maps of a panel but for its title, and the ends of their colours."""
    return [(m.rows, m.columns, m.kind, m.low, m.high, m.title, m.cells, panel.across) for m in panel.maps]


def passage(reel: Film) -> str:
    """How one picture becomes the next, in a sentence."""
    fading = {reel.fades(at) for at in range(len(reel.pictures) - 1)}
    if fading == {True}:
        return "Between two of them only the colours and the title fade."
    cut = "they have other names or another colour scale, or numbers in their cells"
    if fading == {False}:
        return f"The next one follows without a passage: {cut}."
    return f"Between two of them the colours and the title fade; or the next follows without a passage, where {cut}."


def pictures_of(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """What a film of panels shows: of one panel its maps, else one panel after the other."""
    if len(panels) == 1 and len(panels[0].maps) > 1:
        panel = panels[0]
        return tuple(
            replace(panel, title=f"{m.title} · {panel.title}" if m.title else panel.title, maps=(replace(m, title=""),))
            for m in panel.maps
        )
    return tuple(panels)


def has_video() -> bool:
    """Whether MP4 and WebM can be made: they need the package imageio-ffmpeg, which brings its encoder along."""
    return find_spec("imageio_ffmpeg") is not None


def film(reel: Film, kind: Kind, progress: Progress | None = None) -> bytes:
    """The film as a file; `progress` gets the share that is done, and may end the work with an exception.

    Raises:
        EncoderError: MP4 or WebM without the package that makes them.
    """
    with shares("film", progress) as tell:
        return gif(reel, tell) if kind == "gif" else video(reel, kind, tell)


def gif(reel: Film, tell: Progress) -> bytes:
    """The film as GIF, which repeats."""
    images, spans = [], []
    for frame, seconds in with_progress(reel, RATES["gif"], tell):
        images.append(with_palette(frame))
        spans.append(round(1000 * seconds))
    with io.BytesIO() as file:
        images[0].save(file, "gif", save_all=True, append_images=images[1:], duration=spans, loop=0, disposal=1)
        return file.getvalue()


def with_palette(frame: Frame) -> Image.Image:
    """A frame in its 256 most frequent colours: those of its cells stay as they are, edges of letters come near.

    Pillow's own search for the nearest colour looks at the upper bits alone.
    """
    packed = frame.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    palette, at, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([palette >> 16, palette >> 8 & 255, palette & 255], 1).astype(np.int32)
    frequent = colours[np.argsort(-counts, kind="stable")[:256]]
    away = sum(np.abs(colours[:, None, channel] - frequent[None, :, channel]) for channel in range(3))
    image = Image.fromarray(np.asarray(away).argmin(1).astype(np.uint8)[at].reshape(frame.shape[:2]), "P")
    image.putpalette(frequent.astype(np.uint8).tobytes())
    return image


def video(reel: Film, kind: Kind, tell: Progress) -> bytes:
    """The film as MP4 or WebM."""
    if not has_video():
        raise EncoderError(f"{kind} needs the package imageio-ffmpeg: pip install imageio-ffmpeg")
    import imageio_ffmpeg

    rate = RATES[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"film.{kind}"
        codec = {"mp4": "libx264", "webm": "libvpx-vp9"}[kind]
        writer = imageio_ffmpeg.write_frames(
            str(path),
            SIZES[reel.size],
            fps=rate,
            codec=codec,
            quality=None,
            macro_block_size=2,
            output_params=CODECS[kind],
            ffmpeg_log_level="error",
        )
        writer.send(None)
        try:
            for frame, seconds in with_progress(reel, rate, tell):
                for _ in range(max(1, round(seconds * rate))):
                    writer.send(np.ascontiguousarray(frame))
        finally:
            writer.close()
        return path.read_bytes()


def with_progress(reel: Film, rate: int, tell: Progress) -> Iterator[tuple[Frame, float]]:
    """The frames, with the share that is done after each."""
    done = 0.0
    for frame, seconds in reel.frames(rate):
        yield frame, seconds
        done += seconds
        tell(min(1.0, done / reel.seconds))
