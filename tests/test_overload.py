"""One visitor does not take the server down: links, crowds and files that once did, against a real server of 2 GB.

The server is told that it may take 2 GB (ENCODER_MEMORY_MB), and its memory is read from outside while it works: a
limit of the address space says little where torch has reserved some.
"""

import asyncio
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

import pytest
from page_tools import open_app
from streamlit.proto.BackMsg_pb2 import BackMsg
from tiny import TINY, tiny_model, tiny_tokenizer

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "browser"), str(HERE / "benchmarks")]

from browser_tools import Server, free_port, started  # noqa: E402
from visitors import sentence, visit  # noqa: E402
from watcher import Seen, back_to, watched  # noqa: E402

from encoder import checkpoint  # noqa: E402
from encoder.support.link_text import pack, squeeze  # noqa: E402
from encoder.teach.lessons.foreign import LINK, OLD_LINK  # noqa: E402

pytestmark = pytest.mark.slow

ROOT = HERE.parent
BOUND = 2000.0  # MB
ANSWER = 1.0  # seconds
BACK, LEFT = 1.2, 40.0  # memory after all have left, over that before, and seconds until then
GONE = 2.0  # seconds of a processor that are spent for somebody who has left
LARGE = "built:d_model=1024,n_layers=24,d_ff=4096,n_heads=16"
WIDE = "built:n_layers=96,d_model=128,n_heads=128,d_ff=1"
MEDIUM = "built:vocab_size=16384,d_model=512,n_heads=16,n_layers=12,d_ff=1024"  # its survey takes some seconds


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app with its first visitor behind it, and with models that somebody else made."""
    home = tmp_path_factory.mktemp("home")
    for name, change in TOKENIZERS.items():
        folder = home / "models" / name
        checkpoint.save(tiny_model(replace(TINY, mlm_head=True)), tiny_tokenizer(), folder)
        told = json.loads((folder / "tokenizer.json").read_text())
        (folder / "tokenizer.json").write_text(json.dumps(told | change))
    more = {"ENCODER_MEMORY_MB": f"{BOUND:.0f}", "ENCODER_MODELS": str(home / "models"), "OMP_NUM_THREADS": "1"}
    with started(ROOT / "app.py", home / "log", home, free_port(), more=more) as running:
        asyncio.run(first(running.url))
        yield running


async def first(url: str) -> None:
    """The first visitor has the libraries and the model loaded."""
    async with visit(url):
        pass


def split(pattern: str) -> dict[str, object]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


def place(sequence: str) -> dict[str, object]:
    return {"Sequence": {"id": sequence, "type_id": 0}}


GROWS = {"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaa"}
TOKENIZERS: dict[str, dict[str, object]] = {  # what is wrong with a tokenizer.json
    "grows": {"normalizer": {"type": "Sequence", "normalizers": [GROWS] * 12}},
    "searches": {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split(f"(a+)+b{i}") for i in range(3000)]}},
    "backtracks": {"pre_tokenizer": split("(a+)+b")},
    "panics": {
        "post_processor": {
            "type": "TemplateProcessing",
            "special_tokens": {},
            "single": [place("B")],
            "pair": [place("A"), place("B")],
        }
    },
    "ids": {"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 901], "cls": ["[CLS]", 900]}},
}


def packed(toml: str) -> str:
    """A lesson as a link of an earlier version carries it."""
    return OLD_LINK + squeeze(toml)


def served(running: Server, seen: Seen, bound: float = BOUND) -> None:
    """The server lives, answers at once, and took no more memory than it may."""
    assert running.process.poll() is None
    assert seen.broken == []
    assert seen.peak < bound
    assert max(seen.health) < ANSWER
    assert seen.p95 < ANSWER


def lesson(**fields: object) -> str:
    """A lesson of one step as a link carries it, with these fields."""
    step = {"page": "attention", "text": "x"}
    return LINK + pack({"title": "t", "learn": "l", "step": [step]} | fields)


QUOTES = 'x=["""q"""", """z"""]\n' + "a." * 49_000 + "b=1"  # ends after four quotes, where a text may hold one
BACKSLASHES = 'x="""' + '\\"""\n' * 19_900
FILES = {  # TOML that costs its reader much
    "quotes": QUOTES,
    "backslashes": BACKSLASHES,
    "deep key": 'title="t"\nlearn="l"\n' + "a." * 49_000 + "b=1",
    "quoted key": '"a".' * 19_000 + "b=1",
    "deep table": "[" + "a." * 45_000 + "b]",
    "inline tables": "x=" + "{a=" * 20_000,
    "lists": "x=" + "[" * 49_000,
    "many deep keys": "\n".join(f"{'a.' * 100}b{i}=1" for i in range(480)),
    "many steps": "[[step]]\n" * 11_000,
}
LINKS = {name: packed(toml) for name, toml in FILES.items()} | {
    "deep JSON": LINK + squeeze("[" * 90_000),
    "nested view": lesson(step=[{"page": "attention", "text": "x", "view": {"sentence": [[[[[["x"]]]]]]}}]),
    "many steps in JSON": lesson(step=[{}] * 20_000),
    "long number": LINK + squeeze('{"minutes": ' + "9" * 90_000 + "}"),
    "half a character": LINK + squeeze('{"title": "\\ud800", "step": []}'),
    "many fields": LINK + squeeze(json.dumps(dict.fromkeys(map(str, range(1_500)), 0))),
    "more than it may unpack to": LINK + squeeze("[" + "1," * 2_000_000 + "1]"),
}


@pytest.mark.nightly
def test_no_lesson_of_somebody_else_takes_the_server_down(server: Server) -> None:
    """The same texts in a link, opened twice, and as a file, all at once with somebody who clicks meanwhile."""

    async def opened() -> Seen:
        for page in ("lessons", "attention"):  # what the first visitor of a page costs is no doing of a link
            async with visit(server.url, page) as visitor:
                await visitor.choose("sentence", "A small boat.")
        async with watched(server) as seen:
            for name, link in (*LINKS.items(), *LINKS.items()):
                async with visit(server.url, "lessons", urlencode({"lesson": link})) as visitor:
                    assert "the linked lesson" in visitor.said, (name, visitor.said)
                    assert visitor.broken == []
            async with visit(server.url, "lessons", urlencode({"lessons_part": "Make a lesson"})) as visitor:
                for name, toml in FILES.items():
                    await visitor.upload("lesson_file", f"{name}.toml", toml.encode())
                    assert re.search(r"no TOML file|nested|0 steps", visitor.said), (name, visitor.said)
                    assert visitor.broken == []
        return seen

    seen = asyncio.run(opened())
    served(server, seen, seen.before + 100)
    assert max(seen.clicks) < ANSWER


@pytest.mark.nightly
def test_a_lesson_that_checks_long_sentences_in_a_large_model_does_not_fit(server: Server) -> None:
    texts = json.dumps([sentence(random.Random(i), 110)[:590] + " light" for i in range(8)])

    def large(model: str) -> str:
        return packed(
            'title="t"\nlearn="l"\n[[step]]\npage="attention"\ntext="x"\n'
            f'view={{model="{model}"}}\ncheck={{trial="contexts",word="light",sentences={texts}}}\n'
        )

    async def opened() -> Seen:
        async with watched(server) as seen:
            async with visit(server.url, "lessons", urlencode({"lesson": large(LARGE)})) as visitor:
                assert "to load" in visitor.said  # nothing begins by itself
                await visitor.run(press="load_model")
                assert re.search(r"this server has [\d,]+ MB left", visitor.said.replace("\\", ""))
            async with visit(server.url, "lessons", urlencode({"lesson": large("base")})) as visitor:
                assert "mean cosine" in visitor.said
        return seen

    before = server.megabytes
    served(server, asyncio.run(opened()))
    assert asyncio.run(back_to(server, BACK * before, LEFT)) <= BACK * before


def test_a_survey_of_an_hour_is_not_offered() -> None:
    app = open_app("stack", model=WIDE, layers_alike="1")
    assert any("This would take about" in one.value for one in [*app.markdown, *app.info, *app.warning])
    assert not [button.key for button in app.button if str(button.key).startswith("ask_")]


@pytest.mark.nightly
def test_a_survey_of_an_hour_is_never_begun(server: Server) -> None:
    async def opened() -> Seen:
        async with (
            watched(server) as seen,
            visit(server.url, "stack", urlencode({"model": WIDE, "layers_alike": "1"})) as visitor,
        ):
            assert "This would take about" in visitor.said
            assert not [key for key in visitor.widgets if key.startswith("ask_")]
        return seen

    served(server, asyncio.run(opened()))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("page", "query", "offer", "at_work"),
    [
        ("stack", {"layers_alike": "1"}, "ask_survey", "Measuring … "),
        ("heads", {"heads_part": "What each head does"}, "ask_exam", "Examining the heads: "),
    ],
)
def test_what_is_long_is_offered_shown_at_work_and_ends_when_its_visitor_leaves(
    server: Server, page: str, query: dict[str, str], offer: str, at_work: str
) -> None:
    async def opened() -> None:
        async with visit(server.url, page, urlencode({"model": MEDIUM} | query)) as visitor:
            (key,) = [key for key in visitor.widgets if key.startswith(offer)]
            work = asyncio.create_task(visitor.run(press=key))
            end = perf_counter() + 30
            while at_work not in visitor.said:
                assert perf_counter() < end
                await asyncio.sleep(0.02)
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        start = last = server.processor_seconds
        while True:
            await asyncio.sleep(0.5)
            now = server.processor_seconds
            if now - last < 0.1:
                break
            last = now
            assert now - start < GONE

    asyncio.run(opened())


@pytest.mark.nightly
def test_visitors_with_long_texts_take_turns_and_leave_nothing_behind(server: Server) -> None:
    async def one(number: int) -> None:
        async with visit(server.url, "atlas") as visitor:
            await visitor.choose("sentence", sentence(random.Random(number), 600))
            assert visitor.broken == []

    async def opened(numbers: range) -> Seen:
        async with watched(server) as seen:
            await asyncio.gather(*map(one, numbers))
        return seen

    before = server.megabytes
    for numbers, at_rest in ((range(6), BACK * before), (range(6, 16), BOUND)):
        seen = asyncio.run(opened(numbers))
        assert seen.peak < BOUND and seen.broken == [] and max(seen.health) < ANSWER
        assert asyncio.run(back_to(server, at_rest, LEFT)) <= at_rest


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("query", "key", "said"),
    [
        ({"compare_part": "One word in many sentences"}, "set", "starts with mean cosine"),  # of the first ten
        ({"compare_part": "Alike?", "alike_part": "A list"}, "alike_list", "a sentence of a list has at most 300"),
    ],
    ids=["word", "list"],
)
def test_a_thousand_long_sentences_are_cut_or_refused(
    server: Server, query: dict[str, str], key: str, said: str
) -> None:
    """A browser keeps to the length of a field; who speaks to the server directly does not."""
    thousand = "\n".join(sentence(random.Random(i), 600) for i in range(1_000))  # 3 MB

    async def opened() -> Seen:
        async with visit(server.url, "compare", urlencode(query)) as visitor:
            async with watched(server) as seen:
                await visitor.choose(key, thousand)
                assert said in visitor.said
            assert visitor.broken == []
            async with visit(server.url, "labs") as other:
                await other.choose("sentence", thousand)
                assert "512 tokens, and no more" in other.said
            assert other.broken == []
        return seen

    seen = asyncio.run(opened())
    assert server.process.poll() is None and seen.broken == []
    assert seen.peak < BOUND and max(seen.health) < ANSWER


@pytest.mark.nightly
def test_a_message_that_clears_caches_costs_nobody_else_anything(server: Server) -> None:
    asked = BackMsg()
    asked.clear_cache = True

    async def opened() -> Seen:
        async with watched(server) as seen, visit(server.url) as visitor:
            for _ in range(60):
                await visitor.socket.send(asked.SerializeToString())
                await asyncio.sleep(0.05)
        return seen

    seen = asyncio.run(opened())
    served(server, seen, seen.before + 150)


@pytest.mark.nightly
@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_tokenizer_of_somebody_else_is_refused_with_a_sentence(server: Server, name: str) -> None:
    async def opened() -> Seen:
        link = urlencode({"model": f"folder:{name}"})
        async with watched(server) as seen, visit(server.url, "attention", link) as visitor:
            assert "cannot be shown" in visitor.said and "tokenizer" in visitor.said
            assert visitor.broken == []
        return seen

    seen = asyncio.run(opened())
    served(server, seen, seen.before + 150)


def test_nothing_that_sessions_share_lies_where_a_browser_can_clear_it() -> None:
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    assert [file.name for file in files if re.search(r"st\.cache_|cache_resource|cache_data", file.read_text())] == []
