-- What a worker needs: to claim, handle and settle, to hold its lease, to reap the dead, to keep limits, to archive and prune, to fire schedules.
-- All workers of a queue share one account. It sees and ends its own connections only, which is what rings between
-- workers and the cut of a hung handler take: no PROCESS, no CONNECTION_ADMIN. Locks and KILL of its own need no privilege.
-- Handlers' own tables: grant what the handlers do with them besides. Handlers can enqueue; those that set schedules: `grants schedule` besides.
-- Handlers that use a ShardedCounter:
--   GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_counter TO {account};
-- --claim-strategy last-insert-id remembers the id by an UPDATE of it, and nothing else writes it:
--   GRANT UPDATE (id) ON {schema}.queue_message TO {account};
GRANT SELECT ON {schema}.queue_schema TO {account};
GRANT SELECT ON {schema}.queue_identity TO {account};
GRANT SELECT ON {schema}.queue_topic TO {account};
-- Topic, payload and headers of a message are nobody's to change. INSERT is for firing schedules, and for handlers that enqueue.
GRANT SELECT, INSERT (topic, priority, state, due_at, headers, payload), UPDATE (state, lock_id, claim_number, attempts, lost_claims, handler_started, due_at, updated_at), DELETE ON {schema}.queue_message TO {account};
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_worker TO {account};
-- A row with the highest id that is known comes and goes, where ids have started again.
GRANT INSERT (id) ON {schema}.queue_message TO {account};
GRANT SELECT, INSERT, DELETE ON {schema}.queue_attempt TO {account};
GRANT INSERT ON {schema}.queue_dead_letter TO {account};
GRANT INSERT ON {schema}.queue_dead_letter_attempt TO {account};
-- It makes copies and prunes them by age, and cannot read what they hold.
GRANT SELECT (id, topic, settled_day), INSERT, DELETE ON {schema}.queue_archive TO {account};
-- INSERT is for the schedules that its modules declare; MariaDB asks for UPDATE as above.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_schedule TO {account};
-- Limits of topics for the whole cluster: it makes and takes slots, draws from the rates, and says where it lacks slots, and
-- which limit for each key it has heeded.
GRANT SELECT, INSERT (topic, slot), UPDATE (lock_id, taken_at) ON {schema}.queue_slot TO {account};
GRANT SELECT, INSERT (topic, tokens, filled_at), UPDATE (tokens, filled_at) ON {schema}.queue_rate TO {account};
GRANT UPDATE (starved_at, key_max_in_flight_applied) ON {schema}.queue_topic TO {account};
-- How full topics are, where they have a limit. UPDATE of no column in particular, as for queue_worker.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_depth TO {account};
-- Subscriptions that its modules declare, and handlers that publish. UPDATE as for queue_worker.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT ON {schema}.queue_subscription TO {account};
-- How far handlings are, where their handlers say so.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_progress TO {account};
-- Wishes that messages be cancelled: it heeds them, and makes none.
GRANT SELECT, DELETE ON {schema}.queue_cancel_request TO {account};
-- What handlers gave back, where their topics keep it, and the processes that it wakes when it has. It cannot read what it wrote.
GRANT SELECT (message_id, expires_at), INSERT, DELETE ON {schema}.queue_result TO {account};
GRANT SELECT, DELETE ON {schema}.queue_result_listener TO {account};
-- Payloads beside the rows of messages: it reads them for handlers, and sweeps them when the messages are gone. INSERT is for handlers that enqueue.
GRANT SELECT, INSERT, DELETE ON {schema}.queue_payload_chunk TO {account};
GRANT SELECT, INSERT, DELETE ON {schema}.queue_payload_ref TO {account};
-- It deletes deduplication keys that nothing holds. Handlers that enqueue with such keys: `grants deduplication` besides.
GRANT SELECT, DELETE ON {schema}.queue_deduplication TO {account};
-- Lines of messages with ordering keys: it admits what arrives, lets the next go, and forgets what is idle. UPDATE as for queue_worker.
-- Handlers that enqueue with such keys: `grants order` besides.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_ordering_group TO {account};
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_ordering_member TO {account};
GRANT SELECT, INSERT, DELETE ON {schema}.queue_ordering_running TO {account};
GRANT SELECT, DELETE ON {schema}.queue_ordering_lock TO {account};
GRANT SELECT (id, topic) ON {schema}.queue_dead_letter TO {account};
-- Batches and chains: it counts members, enqueues completion messages and next steps, opens batches within batches, prunes.
GRANT INSERT (batch_id) ON {schema}.queue_message TO {account};
GRANT SELECT, INSERT, UPDATE (closed, cancelled, open_shards, completed_at), DELETE ON {schema}.queue_batch TO {account};
GRANT SELECT, INSERT, UPDATE (open_members, total, acked, dead, cancelled, first_message), DELETE ON {schema}.queue_batch_shard TO {account};
GRANT SELECT, UPDATE (message_id), DELETE ON {schema}.queue_chain TO {account};
GRANT SELECT, DELETE ON {schema}.queue_chain_step TO {account};
