"""Why a guess, and why two sentences are alike: shares of one number that add up to it."""
