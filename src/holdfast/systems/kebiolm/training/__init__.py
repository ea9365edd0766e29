"""The trainers of KeBioLM: TransE, pre-training, fine-tuning and relations."""
