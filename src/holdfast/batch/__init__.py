"""Large jobs: files and folders of documents in, one output file per shard, resumed after a crash.

inputs.py    the files behind a command's arguments, as sources
records.py   the documents of a source one by one, and what is broken in it
plan.py      sources cut into shards with stable numbers
settings.py  all that the output depends on, with digests; the manifest
work.py      one shard: read, link, write; the same code on every engine
state.py     which shards are done
engines/     processes of this machine, or a Ray cluster
run.py       what `holdfast annotate` does, from plan to report
"""
