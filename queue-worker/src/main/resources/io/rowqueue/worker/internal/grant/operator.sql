-- Operators: every command but `run`, `migrate`, `archive partition`, `enqueue` and `archive replay` (grant `producer` for these two). The account reads payloads and errors.
GRANT SELECT ON {schema}.queue_schema TO {account};
-- INSERT: redrive dead letters, `schedules run-now`. DELETE: cancel. UPDATE (batch_id): redrive after the batch has completed.
GRANT SELECT, INSERT (id, topic, state, priority, due_at, claim_number, created_at, updated_at, headers, payload, ordering_key, batch_id), UPDATE (state, due_at, priority, updated_at, batch_id), DELETE ON {schema}.queue_message TO {account};
GRANT SELECT, DELETE ON {schema}.queue_attempt TO {account};
GRANT SELECT, DELETE ON {schema}.queue_dead_letter TO {account};
GRANT SELECT ON {schema}.queue_archive TO {account};
-- UPDATE of every inserted column, here and below: MariaDB demands it for INSERT ... ON DUPLICATE KEY UPDATE.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_topic TO {account};
GRANT SELECT, UPDATE (draining, paused) ON {schema}.queue_worker TO {account};
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_schedule TO {account};
GRANT SELECT ON {schema}.queue_depth TO {account};
GRANT SELECT ON {schema}.queue_statistics TO {account};
-- The dashboard's page of limits: permits and who holds them.
GRANT SELECT ON {schema}.queue_slot TO {account};
GRANT SELECT ON {schema}.queue_rate TO {account};
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT, UPDATE (paused), DELETE ON {schema}.queue_subscription TO {account};
GRANT SELECT ON {schema}.queue_progress TO {account};
-- Without INSERT, changes are made and are missing in the audit table.
GRANT SELECT, INSERT (actor, origin, action, target, result) ON {schema}.queue_audit TO {account};
-- The length of payloads stored separately; `encryption-keys usage` reads the first bytes of encrypted payloads and results.
GRANT SELECT (message_id, seq, bytes) ON {schema}.queue_payload_chunk TO {account};
GRANT SELECT (message_id, bytes) ON {schema}.queue_payload_ref TO {account};
GRANT SELECT (message_id, headers, content) ON {schema}.queue_result TO {account};
-- Request the cancellation of claimed messages. DELETE: redrive and delete dead letters.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_cancel_request TO {account};
-- The dashboard's search by deduplication key.
GRANT SELECT (dedup_id, message_id) ON {schema}.queue_deduplication TO {account};
-- Ordering keys: a message that is taken out unblocks the next.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_ordering_group TO {account};
GRANT SELECT, DELETE ON {schema}.queue_ordering_member TO {account};
-- Batches and chains: redrive, delete and cancel change their counts.
GRANT SELECT, UPDATE (closed, cancelled, open_shards, completed_at) ON {schema}.queue_batch TO {account};
GRANT SELECT, UPDATE (open_members, total, acked, dead, cancelled, first_message) ON {schema}.queue_batch_shard TO {account};
GRANT SELECT, UPDATE (batch_id), DELETE ON {schema}.queue_chain TO {account};
GRANT SELECT, DELETE ON {schema}.queue_chain_step TO {account};
