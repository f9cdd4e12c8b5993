-- What a producer of batches and chains needs, on top of `grants producer`; handlers that enqueue such by a BatchProducer or a
-- ChainProducer, on top of `grants worker`, while what they add to their own message's batch needs nothing. It reads what has become
-- of batches, and cannot read the queue.
GRANT INSERT (batch_id) ON {schema}.queue_message TO {account};
GRANT SELECT, INSERT, UPDATE (closed, open_shards, completed_at) ON {schema}.queue_batch TO {account};
GRANT SELECT, INSERT, UPDATE (open_members, total, acked, dead, cancelled, first_message) ON {schema}.queue_batch_shard TO {account};
GRANT SELECT (id), INSERT, UPDATE (message_id) ON {schema}.queue_chain TO {account};
GRANT INSERT ON {schema}.queue_chain_step TO {account};
