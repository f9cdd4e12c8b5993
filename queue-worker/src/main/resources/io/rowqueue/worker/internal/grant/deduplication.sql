-- What a producer needs whose messages have deduplication keys, on top of `grants producer`; handlers that enqueue such, on top
-- of `grants worker`. It can change what waits, and cannot read what that says: UPDATE of payload, headers, priority, state and
-- due_at, and SELECT of batch_id, are for Deduplication.replacing, and may be left out where nobody replaces; updated_at may not.
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_deduplication TO {account};
GRANT SELECT (id, topic, state, due_at, ordering_key, batch_id), UPDATE (state, priority, due_at, headers, payload, updated_at) ON {schema}.queue_message TO {account};
