-- Producers that wake idle workers from an account of their own, in addition to `producer`. The workers' own account needs none of it.
-- Powerful: PROCESS shows every statement of the server, CONNECTION_ADMIN (MariaDB: CONNECTION ADMIN) ends any.
-- Without it, messages are processed up to a second later.
GRANT SELECT (topics, is_alive, lease_until, server_identity, listener_connection) ON {schema}.queue_worker TO {account};
GRANT PROCESS, /*!80000 CONNECTION_ADMIN */ /*M! CONNECTION ADMIN */ ON *.* TO {account};
