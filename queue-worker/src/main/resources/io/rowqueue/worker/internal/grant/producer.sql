-- Producers: enqueue and publish, by the API or by SQL, with ordering keys, deduplication keys, batches, chains and back-pressure.
-- The account cannot read payloads or headers, and cannot change or delete a message.
-- To wake idle workers from an account that is not the workers', grant `notifier` too; without it, workers poll once a second.
-- To replace the content of waiting messages (Deduplication.replacing), grant `producer-replacing` too.
GRANT INSERT (topic, priority, state, due_at, headers, payload, ordering_key, batch_id) ON {schema}.queue_message TO {account};
-- Deduplication: which message holds a key. Back-pressure: how many messages wait, and since when.
GRANT SELECT (id, topic, state, priority, due_at, created_at), UPDATE (updated_at) ON {schema}.queue_message TO {account};
-- Payloads stored separately: above 32 KiB, and streams.
GRANT INSERT ON {schema}.queue_payload_chunk TO {account};
GRANT INSERT ON {schema}.queue_payload_ref TO {account};
-- UPDATE of the whole table, here and below: MariaDB demands it for INSERT ... ON DUPLICATE KEY UPDATE.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_deduplication TO {account};
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_ordering_lock TO {account};
GRANT INSERT ON {schema}.queue_ordering_member TO {account};
-- Publishing: which topics are subscribed, unchanged until COMMIT.
GRANT SELECT ON {schema}.queue_publication_lock TO {account};
GRANT SELECT ON {schema}.queue_subscription TO {account};
-- Back-pressure: which topics are full; the producer measures where no worker does.
GRANT SELECT ON {schema}.queue_topic TO {account};
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_depth TO {account};
-- Batches and chains.
GRANT SELECT, INSERT, UPDATE (closed, open_shards, completed_at) ON {schema}.queue_batch TO {account};
GRANT SELECT, INSERT, UPDATE (open_members, total, acked, dead, cancelled, first_message) ON {schema}.queue_batch_shard TO {account};
GRANT SELECT (id), INSERT, UPDATE (message_id) ON {schema}.queue_chain TO {account};
GRANT INSERT ON {schema}.queue_chain_step TO {account};
-- `queue-worker enqueue` checks the schema's version; the API does not read it.
GRANT SELECT ON {schema}.queue_schema TO {account};
