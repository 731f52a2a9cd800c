"""What can be said of a number: what it is made of, its proof, the code that gives it, its cost."""
