-- What `archive partition` needs on top of `grants operator`, and a worker that shall drop whole days and make the coming
-- ones on top of `grants worker`; without, workers delete old copies in batches.
GRANT ALTER, DROP ON {schema}.queue_archive TO {account};
