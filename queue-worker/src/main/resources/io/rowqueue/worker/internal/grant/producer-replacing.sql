-- Producers that replace the content of waiting messages (Deduplication.replacing), in addition to `producer`.
-- The account can change messages that wait. It cannot read their payloads.
GRANT SELECT (ordering_key, batch_id), UPDATE (state, priority, due_at, headers, payload) ON {schema}.queue_message TO {account};
