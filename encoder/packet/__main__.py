"""`python -m encoder.packet`: make the shipped packets again, and print the table of bytes for README.md."""

from encoder.packet.run import level_1
from encoder.packet.shipped import MODEL, SENTENCES, path_of
from encoder.packet.sizes import table
from encoder.support import whole_file
from encoder.text_encoder import TextEncoder


def main() -> None:
    """Write the files and print the table."""
    encoder = TextEncoder.from_pretrained(MODEL)
    for sentence in SENTENCES:
        whole_file.write(path_of(sentence), level_1(encoder, encoder.trace(sentence)))
    print(table())


if __name__ == "__main__":
    main()
