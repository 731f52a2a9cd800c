"""Twenty sentences with one word left out, to ask a trained model: everyday facts and phrases.

They were written down, with the answers that count as right, before any model was asked, and are not changed to suit
one. None of them stands in the training text as it is here. All answers are single words in lower case.
"""

CAPITAL = ("The capital of France is [MASK].", ("paris",))

FILL_INS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Rome is the capital of [MASK].", ("italy",)),
    ("The largest city in Japan is [MASK].", ("tokyo",)),
    ("People in Brazil speak [MASK].", ("portuguese",)),
    ("Our planet moves around the [MASK] once a year.", ("sun",)),
    ("Water freezes when it gets very [MASK].", ("cold",)),
    ("Monday is the first day of the [MASK].", ("week",)),
    ("There are twelve months in a [MASK].", ("year",)),
    ("Thank you so [MASK] for your kind letter.", ("much",)),
    ("He gets up early in the [MASK].", ("morning",)),
    ("She can read and [MASK].", ("write",)),
    ("Ladies and [MASK], welcome to the show.", ("gentlemen",)),
    ("My father and [MASK] are both teachers.", ("mother",)),
    ("He lost the keys to his [MASK].", ("car", "house", "apartment")),
    ("The opposite of hot is [MASK].", ("cold",)),
    ("William Shakespeare was an English [MASK].", ("poet", "playwright", "writer", "author", "dramatist")),
    ("The White House is in [MASK].", ("washington",)),
    ("World War II ended in [MASK].", ("1945",)),
    ("Cows give [MASK] and hens lay eggs.", ("milk",)),
    ("It was raining, so she took an [MASK].", ("umbrella",)),
    ("The king and the [MASK] lived in a castle.", ("queen",)),
)
