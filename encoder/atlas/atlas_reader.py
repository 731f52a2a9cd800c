"""Reading an atlas: heads and units in numbers, their contexts, and the sentences that these stand in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from encoder.atlas.card import check_model, read_card
from encoder.atlas.corpus import AtlasError
from encoder.atlas.making import sha256
from encoder.support.cached_property import cached_property
from encoder.support.import_names import naming_extra, on_demand
from encoder.trace.tokens import Text
from encoder.trace.trace import Source

if TYPE_CHECKING:  # an extra of the package, which only who has an atlas needs
    import pyarrow as pa

upstairs = on_demand("encoder.atlas", {"html_of_head": "encoder.pictures.notebook_cells"})  # what draws it stands on it
WORDS = ("list", "by", "token", "token_looked_at")  # columns of few different texts


@dataclass(frozen=True)
class Firing:
    """One token of the corpus in which a head or unit showed a value.

    `value` is what the list is ranked by. Of a head `looks_at` is the position looked at, `weight` the weight and
    `written` ||alpha v W_O||; of a unit `value` is the activation and there is no `looks_at`. `decile` counts from 0.
    """

    sentence: int
    position: int
    token: str
    value: float
    decile: int
    looks_at: int | None = None
    token_looked_at: str = ""
    weight: float = 0.0
    written: float = 0.0


class Atlas:
    """The atlas in a folder, of one model and corpus.

    Raises:
        AtlasError: the folder is damaged, foreign or of a newer version, or its atlas is of another model.
    """

    def __init__(self, folder: Path, source: Source | None = None) -> None:
        self.folder, self.card = folder, read_card(folder)
        if source is not None:
            check_model(folder, self.card, source)
        layers = range(self.card.sizes["layers"])
        needed = {f"{name}.parquet" for name in ("sentences", "heads", "pairs", "units")}
        needed |= {f"{kind}-layer-{i}.parquet" for kind in ("heads", "units") for i in layers}
        if self.card.vectors or self.card.head_vectors:
            needed |= {"vectors.parquet", *(f"vectors-layer-{i}.npy" for i in self.card.vectors)}
            needed |= {f"heads-layer-{i}.npy" for i in self.card.head_vectors}
        for name in sorted(needed):
            self.check_size(name)
        self.checked: set[str] = set()
        self.kept: dict[tuple[str, ...], pa.Table] = {}

    def check_size(self, name: str) -> None:
        """Refuse a file that is not there or has another size than the card says."""
        path = self.folder / name
        if name not in self.card.files or not path.is_file():
            raise AtlasError(f"{self.folder.name} is damaged: {name} is not there; make the atlas again")
        there, expected = path.stat().st_size, self.card.files[name][0]
        if there != expected:
            raise AtlasError(
                f"{self.folder.name} is damaged: {name} has {there:,} bytes, and its card says {expected:,}"
            )

    def path(self, name: str) -> Path:
        """Return a file whose content is what the card says; looked at once.

        Raises:
            AtlasError: it is not.
        """
        if name not in self.checked:
            if sha256(self.folder / name) != self.card.files[name][1]:
                raise AtlasError(f"{self.folder.name} is damaged: {name} is not what its card says; make it again")
            self.checked.add(name)
        return self.folder / name

    def tokens(self, name: str, *columns: str) -> "pa.Table":
        """Return columns of numbers and tokens of a whole file, read once: some twelve bytes for each row."""
        key = (name, *columns)
        if key not in self.kept:
            self.kept[key] = self.table(name, list(columns), as_dictionary=[c for c in columns if c in WORDS])
        return self.kept[key]

    def table(
        self, name: str, columns: list[str] | None = None, filters: Any = None, as_dictionary: Sequence[str] = ()
    ) -> "pa.Table":
        """Return a file of columns, or some of it."""
        with naming_extra():
            import pyarrow as pa
            import pyarrow.parquet as pq

        path = self.path(name)
        try:
            return pq.read_table(path, columns=columns, filters=filters, read_dictionary=list(as_dictionary))
        except (pa.ArrowException, OSError, KeyError) as error:
            raise AtlasError(f"{self.folder.name} is damaged: {name} cannot be read; make the atlas again") from error

    @cached_property
    def heads(self) -> "pa.Table":
        """A row for each head."""
        return self.table("heads.parquet")

    @cached_property
    def pairs(self) -> "pa.Table":
        """A row for each head and each pair of kinds of tokens."""
        return self.table("pairs.parquet")

    @cached_property
    def units(self) -> "pa.Table":
        """A row for each unit, without its deciles."""
        return self.table("units.parquet", ["layer", "unit", "firings", "mean", "written_per_one"])

    def unit(self, layer: int, unit: int) -> dict[str, Any]:
        """Return the row of one unit.

        Raises:
            AtlasError: there is no such unit.
        """
        rows = self.table("units.parquet", None, [("layer", "==", layer), ("unit", "==", unit)]).to_pylist()
        if not rows:
            raise AtlasError(f"there is no unit {unit} in layer {layer} of this atlas")
        row: dict[str, Any] = rows[0]
        return row

    def head(self, layer: int, head: int) -> "AtlasHead":
        """Return the row of one head.

        Raises:
            AtlasError: there is no such head.
        """
        at = layer * self.card.sizes["heads"] + head
        if not 0 <= head < self.card.sizes["heads"] or not 0 <= at < len(self.heads):
            raise AtlasError(f"there is no head {head} in layer {layer} of this atlas")
        return AtlasHead(self, self.heads.slice(at, 1).to_pylist()[0])

    def head_firings(self, layer: int, head: int, by: str, kind: str) -> list[Firing]:
        """Contexts of a head, ranked `by` "weight" or "written": those of `kind` "top" or "sample"."""
        where = [("head", "==", head), ("by", "==", by), ("list", "==", kind)]
        rows = self.table(f"heads-layer-{layer}.parquet", None, where).to_pylist()
        names = ("sentence", "position", "token", "decile", "looks_at", "token_looked_at", "weight", "written")
        return [Firing(value=row[by], **{name: row[name] for name in names}) for row in rows]

    def unit_firings(self, layer: int, unit: int, kind: str) -> list[Firing]:
        """Contexts of a unit: those of `kind` "top" or "sample"."""
        where = [("unit", "==", unit), ("list", "==", kind)]
        rows = self.table(f"units-layer-{layer}.parquet", None, where).to_pylist()
        names = ("sentence", "position", "token", "decile", "value")
        return [Firing(**{name: row[name] for name in names}) for row in rows]

    def texts(self, sentences: list[int]) -> dict[int, Text]:
        """Return the text of some sentences by number, or both texts of some pairs.

        Raises:
            AtlasError: one is not there.
        """
        rows = self.table("sentences.parquet", None, [("sentence", "in", sentences or [0])]).to_pylist()
        texts_read = {row["sentence"]: (row["text"], row["pair"]) if "pair" in row else row["text"] for row in rows}
        if missing := [number for number in sentences if number not in texts_read]:
            raise AtlasError(f"{self.folder.name} is damaged: sentence {missing[0]} is not there; make it again")
        return texts_read


class AtlasHead(dict[str, Any]):
    """What an atlas says of one head: the columns of `heads.parquet`, by their names."""

    def __init__(self, atlas: Atlas, row: Mapping[str, Any]) -> None:
        super().__init__(row)
        self.atlas = atlas

    def _repr_html_(self) -> str:
        """Show the head at work as the last line of a notebook's cell, and its strongest contexts."""
        return str(upstairs("html_of_head")(self))
