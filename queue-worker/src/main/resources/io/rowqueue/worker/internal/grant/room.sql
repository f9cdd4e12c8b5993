-- What a process with a BackPressure needs, on top of `grants producer`: to read which topics are overfull, and to find it out
-- where no worker does. It can read how many messages wait and since when, and nothing of what they say.
GRANT SELECT ON {schema}.queue_topic TO {account};
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_depth TO {account};
GRANT SELECT (id, topic, state, priority, due_at, created_at) ON {schema}.queue_message TO {account};
