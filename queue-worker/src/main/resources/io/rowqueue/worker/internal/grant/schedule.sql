-- What a service needs besides its other roles that sets, lists and removes schedules. Whoever has it decides what workers enqueue.
-- Schedules.runNow: `grants producer` besides.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.queue_schedule TO {account};
