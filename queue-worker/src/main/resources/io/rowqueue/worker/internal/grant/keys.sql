-- What `keys in-use` needs on top of `grants operator`. It reads the first bytes of results and of payloads that lie beside their rows; the
-- servers know no grant that is smaller than a column.
GRANT SELECT (message_id, headers, content) ON {schema}.queue_result TO {account};
GRANT SELECT (message_id, seq, bytes) ON {schema}.queue_payload_chunk TO {account};
