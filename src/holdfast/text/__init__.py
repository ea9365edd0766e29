"""From characters to words: normalisation, sentences, abbreviations, tokens."""
