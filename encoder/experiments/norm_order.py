"""Lab norm order: the same weights with the norm after each sum (post-norm) and before each sublayer (pre-norm).

Paper, section 3.1, against Xiong et al. 2020. The weights were trained for one of the two orders, or for none: the
other one shows what the order does to the numbers, and not what a model trained with it would do.
"""

from dataclasses import dataclass, replace

from torch import Tensor

from encoder.checkpoint.build import on_meta
from encoder.metrics import cosine, length, stream
from encoder.model.encoder import Encoder
from encoder.support.errors import EncoderError
from encoder.text_encoder import TextEncoder
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class NormOrder:
    """One sentence through the same weights in both orders; `own` is the order of the model itself.

    `post` and `pre` are the runs. All else is [n_layers + 1, n], before the first layer and after each one: the length
    of each token's vector in both, and the cosine between the two.
    """

    own: str
    post: Trace
    pre: Trace
    post_length: Tensor
    pre_length: Tensor
    alike: Tensor


def norm_order(encoder: TextEncoder, text: Text) -> NormOrder:
    """Run a sentence as the model is, and again with the norms in the other place; nothing is masked or changed.

    Raises:
        EncoderError: layer 0 has no first norm, so that there is none to put in another place.
    """
    if encoder.config.no_first_norm:
        raise EncoderError("layer 0 of this model has no norm before attention, so its norms have no other place")
    ours, theirs = (
        encoder.trace(text),
        TextEncoder(turned(encoder.model), encoder.tokenizer, encoder.source).trace(text),
    )
    post, pre = (theirs, ours) if encoder.config.norm_first else (ours, theirs)
    a, b = stream(post), stream(pre)
    own = "pre-norm" if encoder.config.norm_first else "post-norm"
    return NormOrder(own, post, pre, length(a), length(b), cosine(a, b))


def turned(model: Encoder) -> Encoder:
    """The same parameters, not copied, in an encoder whose norms stand in the other place."""
    other = on_meta(replace(model.config, norm_first=not model.config.norm_first))
    other.load_state_dict(dict(model.named_parameters()), assign=True, strict=False)
    return other.eval().requires_grad_(False)
