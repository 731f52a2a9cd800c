"""Checkpoints on disk and models made of weights."""

from encoder.checkpoint.build import build as build
from encoder.checkpoint.build import on_meta as on_meta
from encoder.checkpoint.build import random_weights as random_weights
from encoder.checkpoint.folder import BUNDLED as BUNDLED
from encoder.checkpoint.folder import ON_DISK as ON_DISK
from encoder.checkpoint.folder import check_kind as check_kind
from encoder.checkpoint.folder import find as find
from encoder.checkpoint.folder import holds_model as holds_model
from encoder.checkpoint.folder import load as load
from encoder.checkpoint.folder import load_snapshot as load_snapshot
from encoder.checkpoint.folder import read_config as read_config
from encoder.checkpoint.folder import save as save
from encoder.checkpoint.folder import snapshots as snapshots
from encoder.checkpoint.from_object import from_object as from_object
from encoder.checkpoint.listing import folders as folders
from encoder.checkpoint.listing import within as within
from encoder.checkpoint.tensor_files import CheckpointError as CheckpointError
from encoder.checkpoint.tensor_files import bytes_of_weights as bytes_of_weights
