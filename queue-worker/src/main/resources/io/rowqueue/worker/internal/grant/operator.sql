-- What the commands for operators need: status, dead-letters, messages, topics, schedules, subscriptions, workers. It reads payloads and errors.
-- `archive partition`: `grants partition` besides. `keys in-use`: `grants keys` besides. `enqueue`: `grants producer` besides.
GRANT SELECT ON {schema}.queue_schema TO {account};
-- INSERT is for redriving dead letters and for `schedules run-now`, DELETE for cancelling.
GRANT SELECT, INSERT (id, topic, state, priority, due_at, claim_number, created_at, updated_at, headers, payload, ordering_key, batch_id), UPDATE (state, due_at, priority, updated_at), DELETE ON {schema}.queue_message TO {account};
GRANT SELECT, DELETE ON {schema}.queue_attempt TO {account};
GRANT SELECT, DELETE ON {schema}.queue_dead_letter TO {account};
GRANT SELECT, DELETE ON {schema}.queue_dead_letter_attempt TO {account};
GRANT SELECT ON {schema}.queue_archive TO {account};
-- For INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for UPDATE on every inserted column.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_topic TO {account};
GRANT SELECT, UPDATE (draining) ON {schema}.queue_worker TO {account};
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_schedule TO {account};
GRANT SELECT ON {schema}.queue_depth TO {account};
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT, UPDATE (paused), DELETE ON {schema}.queue_subscription TO {account};
GRANT SELECT ON {schema}.queue_progress TO {account};
-- How long payloads are that lie beside their rows; the servers know no grant for a length that is smaller than the bytes'.
GRANT SELECT (message_id, bytes) ON {schema}.queue_payload_chunk TO {account};
GRANT SELECT (message_id, bytes) ON {schema}.queue_payload_ref TO {account};
-- `doctor` compares the next message's id with those that other tables know.
GRANT SELECT (message_id) ON {schema}.queue_result TO {account};
-- To ask that claimed messages be cancelled; DELETE is for redriving and deleting dead letters. UPDATE as for queue_topic.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_cancel_request TO {account};
-- Lines of messages with ordering keys: who takes a message out of one says so. UPDATE as for queue_topic.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_ordering_group TO {account};
GRANT SELECT, DELETE ON {schema}.queue_ordering_member TO {account};
GRANT SELECT, DELETE ON {schema}.queue_ordering_running TO {account};
-- Batches and chains: redriving, deleting and cancelling count. A message that is redriven behind its batch's end is nobody's member.
GRANT UPDATE (batch_id) ON {schema}.queue_message TO {account};
GRANT SELECT, UPDATE (closed, cancelled, open_shards, completed_at) ON {schema}.queue_batch TO {account};
GRANT SELECT, UPDATE (open_members, total, acked, dead, cancelled, first_message) ON {schema}.queue_batch_shard TO {account};
GRANT SELECT, UPDATE (batch_id), DELETE ON {schema}.queue_chain TO {account};
GRANT SELECT, DELETE ON {schema}.queue_chain_step TO {account};
