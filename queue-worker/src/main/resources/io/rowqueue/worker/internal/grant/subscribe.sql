-- What a service needs besides its other roles that changes subscriptions. Whoever has it decides who gets copies of what is published.
-- UPDATE of no column in particular: for INSERT ... ON DUPLICATE KEY UPDATE, MariaDB asks for it on every inserted one.
GRANT SELECT, INSERT, UPDATE ON {schema}.queue_publication_lock TO {account};
GRANT SELECT, INSERT, UPDATE (paused), DELETE ON {schema}.queue_subscription TO {account};
