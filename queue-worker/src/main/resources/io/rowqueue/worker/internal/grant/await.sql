-- What a process with Results needs, on top of `grants producer` if it enqueues what it awaits. It reads what the handlers of all
-- topics gave back, and of messages only which are there. Workers can wake it if it connects with their own account; with another one
-- it finds results by its own look, up to a second later, unless theirs has `grants ring`.
GRANT SELECT ON {schema}.queue_result TO {account};
GRANT SELECT (id) ON {schema}.queue_message TO {account};
GRANT SELECT (id, reason, detail) ON {schema}.queue_dead_letter TO {account};
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_result_listener TO {account};
