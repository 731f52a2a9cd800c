"""What carries a change from one word to the gap: found by patching, for one pair and for many (`find_circuit`)."""

from encoder.experiments.circuit.circuit_moments import CarriedMoments, TrainingCircuit, carried, training_circuit
from encoder.experiments.circuit.found_circuit import Circuit, EdgeShare, PairShare
from encoder.experiments.circuit.many_pairs import find_circuit
from encoder.experiments.circuit.minimal_pair import MinimalPair, PairError, PairRun, check_reacts, run_pair
from encoder.experiments.circuit.own_pair import (
    Board,
    CarriedChange,
    Control,
    Edges,
    HeadSet,
    carried_change,
    edges,
    study,
)
from encoder.experiments.circuit.pair_file import given_pairs, read_pairs
from encoder.experiments.circuit.patching import Edge, falls, reading, writing
from encoder.experiments.circuit.phenomena import Phenomenon, phenomena, phenomenon
from encoder.experiments.circuit.shipped_circuits import ShippedCircuits, circuits_by_content

__all__ = [
    "Board",
    "CarriedChange",
    "CarriedMoments",
    "Circuit",
    "Control",
    "Edge",
    "EdgeShare",
    "Edges",
    "HeadSet",
    "MinimalPair",
    "PairError",
    "PairRun",
    "PairShare",
    "Phenomenon",
    "ShippedCircuits",
    "TrainingCircuit",
    "carried",
    "carried_change",
    "check_reacts",
    "circuits_by_content",
    "edges",
    "falls",
    "find_circuit",
    "given_pairs",
    "phenomena",
    "phenomenon",
    "read_pairs",
    "reading",
    "run_pair",
    "study",
    "training_circuit",
    "writing",
]
