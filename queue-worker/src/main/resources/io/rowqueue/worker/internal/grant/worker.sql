-- Workers: claim, handle and settle messages, renew leases, reap dead workers, enforce limits, archive, prune, run schedules.
-- All workers of a queue share one account. It sees and ends only its own connections: wake-ups between workers and the cut of a hung
-- handler need neither PROCESS nor CONNECTION_ADMIN.
-- Grant what handlers do with your own tables yourself. Handlers can enqueue plain messages and publish; with ordering or deduplication
-- keys, batches or chains: `producer` too. Handlers that set schedules: `configurator` too.
-- Handlers that use a ShardedCounter:
--   GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_counter TO {account};
-- Workers that drop and create the archive's daily partitions (`archive partition`); without it they delete old copies in batches:
--   GRANT ALTER, DROP ON {schema}.queue_archive TO {account};
-- --claim-strategy last-insert-id:
--   GRANT UPDATE (id) ON {schema}.queue_message TO {account};
GRANT SELECT ON {schema}.queue_schema TO {account};
GRANT SELECT ON {schema}.queue_topic TO {account};
-- Topic, payload and headers of a message never change. INSERT: schedules, and handlers that enqueue; INSERT (id): the message with the
-- highest known id, where AUTO_INCREMENT was reset; INSERT (batch_id): completion messages and next steps.
GRANT SELECT, INSERT (id, topic, priority, state, due_at, headers, payload, batch_id), UPDATE (state, lock_id, claim_number, attempts, lost_claims, handler_started, due_at, updated_at), DELETE ON {schema}.queue_message TO {account};
-- UPDATE of the whole table, here and below: MariaDB demands it for INSERT ... ON DUPLICATE KEY UPDATE.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_worker TO {account};
GRANT SELECT, INSERT, DELETE ON {schema}.queue_attempt TO {account};
GRANT SELECT (id, topic), INSERT ON {schema}.queue_dead_letter TO {account};
-- Writes and prunes copies of acknowledged messages, and cannot read them.
GRANT SELECT (id, topic, settled_day), INSERT, DELETE ON {schema}.queue_archive TO {account};
-- INSERT: schedules that its modules declare.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_schedule TO {account};
-- Cluster-wide limits.
GRANT SELECT, INSERT (topic, slot), UPDATE (lock_id, taken_at) ON {schema}.queue_slot TO {account};
GRANT SELECT, INSERT (topic, tokens, filled_at), UPDATE (tokens, filled_at) ON {schema}.queue_rate TO {account};
GRANT UPDATE (starved_at, key_max_in_flight_applied) ON {schema}.queue_topic TO {account};
-- Back-pressure: how full topics with a limit are.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_depth TO {account};
-- Statistics for the dashboard and `top`.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_statistics TO {account};
-- Prunes the audit table, and cannot read what it says.
GRANT SELECT (id, at), DELETE ON {schema}.queue_audit TO {account};
-- Subscriptions that its modules declare, and handlers that publish.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT ON {schema}.queue_subscription TO {account};
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_progress TO {account};
-- Cancellation requests: it applies them and creates none.
GRANT SELECT, DELETE ON {schema}.queue_cancel_request TO {account};
-- Results, and the processes to wake. It cannot read the results that it wrote.
GRANT SELECT (message_id, expires_at), INSERT, DELETE ON {schema}.queue_result TO {account};
GRANT SELECT, DELETE ON {schema}.queue_result_listener TO {account};
-- Payloads stored separately: read for handlers, deleted after their messages.
GRANT SELECT, INSERT, DELETE ON {schema}.queue_payload_chunk TO {account};
GRANT SELECT, INSERT, DELETE ON {schema}.queue_payload_ref TO {account};
-- Prunes deduplication keys that no message holds.
GRANT SELECT, DELETE ON {schema}.queue_deduplication TO {account};
-- Ordering keys: admits messages, unblocks the next, prunes idle keys.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_ordering_group TO {account};
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_ordering_member TO {account};
GRANT SELECT, DELETE ON {schema}.queue_ordering_lock TO {account};
-- Batches and chains: counts members, enqueues completion messages and next steps, prunes.
GRANT SELECT, INSERT, UPDATE (closed, cancelled, open_shards, completed_at), DELETE ON {schema}.queue_batch TO {account};
GRANT SELECT, INSERT, UPDATE (open_members, total, acked, dead, cancelled, first_message), DELETE ON {schema}.queue_batch_shard TO {account};
GRANT SELECT, UPDATE (message_id), DELETE ON {schema}.queue_chain TO {account};
GRANT SELECT, DELETE ON {schema}.queue_chain_step TO {account};
