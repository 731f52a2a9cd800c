"""`python -m encoder.atlas`: make an atlas of a model over a corpus, in one process or under torchrun."""

import os
import shutil
import sys
from argparse import Namespace
from pathlib import Path

import torch

from encoder.atlas.collecting import KeptVectors
from encoder.atlas.corpus import AtlasCorpus, AtlasError, how_many
from encoder.atlas.making import PART, AtlasPlan, begin, work
from encoder.atlas.writing import write
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.processes import processes
from encoder.support.progress import progress
from encoder.support.whole_file import check_folder


def arguments(given: list[str] | None = None) -> Namespace:
    """Return the command line."""
    parser = CommandLine("python -m encoder.atlas", description=__doc__)
    parser.add_argument("--model", default="base", help="a bundled model or a folder")
    text = "text, one line a sentence; .xz and .gz are unpacked"
    parser.add_argument("--corpus", type=Path, nargs="+", required=True, metavar="FILE", help=text)
    parser.add_argument("--pairs", action="store_true", help="each line is two sentences with a tab between them")
    screen = "leave out sentences with vulgar, sexual or insulting words (encoder/support/unfit_words.toml)"
    parser.add_argument("--screen", action="store_true", help=screen)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the atlas is written")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take one line in N")
    stream = "layers after which the vectors of all tokens are kept for search: 0 is before the first"
    parser.add_argument("--vectors", type=int, nargs="*", default=[], metavar="LAYER", help=stream)
    heads = "layers of whose heads the outputs at all tokens are kept for search"
    parser.add_argument("--head-vectors", type=int, nargs="*", default=[], metavar="LAYER", help=heads)
    parser.add_argument("--vector-every", type=int, default=1, metavar="N", help="of one sentence in N only")
    parser.add_argument("--licence", default="", metavar="TEXT", help="of the corpus, to be named wherever it is shown")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda is a GPU")
    parser.add_argument("--part", type=int, default=PART, metavar="N", help="sentences that a kill loses at most")
    return parser.parse_args(given)


def planned(options: Namespace) -> AtlasPlan:
    """Return what is asked for."""
    stream, heads = (tuple(sorted({*layers})) for layers in (options.vectors, options.head_vectors))
    return AtlasPlan(
        options.model,
        AtlasCorpus(tuple(options.corpus), options.every, options.pairs, options.screen),
        options.out,
        KeptVectors(stream, heads, options.vector_every),
        options.part,
        options.licence,
        device(options.device),
    )


def device(name: str) -> str:
    """Return the kind of device to compute on.

    Raises:
        AtlasError: there is no such device, or not one for each process of torchrun.
    """
    if name == "cpu":
        return "cpu"
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not gpus:
        raise AtlasError("--device cuda: PyTorch finds no GPU here; leave --device out to compute on the processor")
    here = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    if here > gpus:
        raise AtlasError(
            f"torchrun starts {here} processes on this machine, which has {gpus} GPUs; start no more than "
            "it has, or compute on the processor with --device cpu"
        )
    return "cuda"


def make(options: Namespace) -> None:
    """Make what is asked for, or go on with it; under torchrun each process does its share, the first one writes."""
    plan = planned(options)
    check_folder(plan.out)
    encoder = TextEncoder.from_pretrained(plan.model)
    with processes(plan.device) as on:
        if on.first:
            corpus = begin(plan, encoder, on.count)
        on.wait()
        with progress("atlas", "sentences") as hear:
            share = -(-corpus.sentences // on.count) if on.first else None
            running = work(plan, encoder, on.rank, on.count, lambda done: hear(done, share))
        running.gather()
        if on.first:
            write(plan, encoder, corpus, running)
            shutil.rmtree(plan.parts)
            print(f"{plan.out}: {how_many(corpus.sentences, plan.corpus.pairs)}")


def main(given: list[str] | None = None) -> int:
    """Do what the command line says; returns the exit code, 2 where it cannot be done."""
    options = arguments(given)
    return exit_code(lambda: make(options), "the same command goes on")


if __name__ == "__main__":
    sys.exit(main())
