-- What a producer needs whose messages have ordering keys, on top of `grants producer`; handlers that enqueue such, on top of
-- `grants worker`. It locks the keys' rows and puts messages into their lines, and cannot read who waits in them.
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_ordering_lock TO {account};
GRANT INSERT (ordering_key) ON {schema}.queue_message TO {account};
GRANT INSERT ON {schema}.queue_ordering_member TO {account};
