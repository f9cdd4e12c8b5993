-- Processes that await results. If they enqueue the messages, grant `producer` too.
-- The account reads the results of all topics. Of messages it reads only which exist.
-- Workers wake it if it connects with their own account, or if theirs has `notifier`; otherwise it polls once a second.
GRANT SELECT ON {schema}.queue_result TO {account};
GRANT SELECT (id) ON {schema}.queue_message TO {account};
GRANT SELECT (id, reason, detail) ON {schema}.queue_dead_letter TO {account};
-- UPDATE of the whole table: MariaDB demands it for INSERT ... ON DUPLICATE KEY UPDATE.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_result_listener TO {account};
