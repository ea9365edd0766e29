"""Fine-tuning of encoders on recognition and on relations in sentences, to compare them."""
