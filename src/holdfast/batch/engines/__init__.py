"""Where the shards of a job are done: in processes of this machine, or on a Ray cluster."""
