-- What a producer needs: to insert, by the API or by SQL of its own. It cannot read the queue.
-- To wake idle workers by rings, `grants ring` besides; without, workers find the message at their next look.
GRANT INSERT (topic, priority, state, due_at, headers, payload) ON {schema}.queue_message TO {account};
-- Payloads that lie beside their messages' rows: above 32 KiB, and what is streamed.
GRANT INSERT ON {schema}.queue_payload_chunk TO {account};
GRANT INSERT ON {schema}.queue_payload_ref TO {account};
-- For `queue-worker enqueue`, which checks the schema's version first; the API does not read it.
GRANT SELECT ON {schema}.queue_schema TO {account};
