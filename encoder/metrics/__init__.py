"""Reductions over a trace: numbers that say something about a step without showing all of it.

In every result n counts the tokens of the sentence; [PAD] is left out first.
"""

from encoder.metrics.flows import (
    FLOW_TOKENS,
    Mixing,
    disagreement,
    flow,
    mixing_parts,
    mixing_ratio,
    norm_weighted,
    residual_attention,
    rollout,
    transformed,
    weighted_values,
)
from encoder.metrics.habits import Survey, survey
from encoder.metrics.heads import (
    confidence,
    distance,
    entropy,
    entropy_share,
    js_distance,
    offset,
    plane,
    together,
    uniform_distance,
)
from encoder.metrics.layers import (
    Pca,
    cka_matrix,
    contributions,
    cosine,
    cosine_matrix,
    length,
    linear_cka,
    pca,
    token_paths,
)
from encoder.metrics.lens import final_answer, kl_to_last, lens_words, logit_lens
from encoder.metrics.neurons import most_active, nearest_words, silent_share, unit_vector, unit_words
from encoder.metrics.pairs import WAYS, between, segment_mass, segments
from encoder.metrics.roles import MARGIN, MOST, NO_ROLE, ROLES, SHUFFLES, TOO_FEW, Role, head_roles, role_mass
from encoder.metrics.sentences import SENTENCES
from encoder.trace.unpadded import attention_weights, first_lost, stream

__all__ = [
    "FLOW_TOKENS",
    "MARGIN",
    "MOST",
    "NO_ROLE",
    "ROLES",
    "SENTENCES",
    "SHUFFLES",
    "TOO_FEW",
    "WAYS",
    "Mixing",
    "Pca",
    "Role",
    "Survey",
    "attention_weights",
    "between",
    "cka_matrix",
    "confidence",
    "contributions",
    "cosine",
    "cosine_matrix",
    "disagreement",
    "distance",
    "entropy",
    "entropy_share",
    "final_answer",
    "first_lost",
    "flow",
    "head_roles",
    "js_distance",
    "kl_to_last",
    "length",
    "lens_words",
    "linear_cka",
    "logit_lens",
    "mixing_parts",
    "mixing_ratio",
    "most_active",
    "nearest_words",
    "norm_weighted",
    "offset",
    "pca",
    "plane",
    "residual_attention",
    "role_mass",
    "rollout",
    "segment_mass",
    "segments",
    "silent_share",
    "stream",
    "survey",
    "together",
    "token_paths",
    "transformed",
    "uniform_distance",
    "unit_vector",
    "unit_words",
    "weighted_values",
]
