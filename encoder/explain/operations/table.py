"""All operations of the catalogue by name; to add one is to write it in one of these modules."""

from encoder.explain.operations import activation, attention, distance, embedding, linear, norm, pooling
from encoder.explain.operations.operand import Operation

OPERATIONS: dict[str, Operation] = {
    name: value
    for module in (embedding, attention, distance, linear, norm, activation, pooling)
    for name, value in vars(module).items()
    if isinstance(value, Operation)
}
