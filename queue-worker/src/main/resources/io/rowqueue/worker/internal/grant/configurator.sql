-- Services that set, list and remove schedules, or change subscriptions, in addition to their other roles.
-- The account decides what workers enqueue, and which topics get copies of published messages. Schedules.runNow needs `producer` too.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_schedule TO {account};
-- UPDATE of the whole table: MariaDB demands it for INSERT ... ON DUPLICATE KEY UPDATE.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT, UPDATE (paused), DELETE ON {schema}.queue_subscription TO {account};
-- Changes by the operator commands.
GRANT INSERT (actor, origin, action, target, result) ON {schema}.queue_audit TO {account};
