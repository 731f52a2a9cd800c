"""The operations of the catalogue: for each the rule of a number, the line of code, and the cost.

To add one is to write it in a module of rules.
"""

from encoder.explain.operations import distance_rules, ends_rules, layer_rules, norm_rules
from encoder.explain.operations.explanation import Operation

OPERATIONS: dict[str, Operation] = {
    name: value
    for module in (ends_rules, layer_rules, distance_rules, norm_rules)
    for name, value in vars(module).items()
    if isinstance(value, Operation)
}
