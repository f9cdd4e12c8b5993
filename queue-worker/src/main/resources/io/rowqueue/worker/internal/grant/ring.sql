-- What a producer with an account of its own needs to wake idle workers, on top of `grants producer`. Whoever connects with
-- the workers' own account rings without it. It is much: PROCESS shows every statement of the server, and CONNECTION_ADMIN
-- (MariaDB: CONNECTION ADMIN) ends any. Without it messages are handled all the same, up to a second later.
GRANT SELECT (topics, is_alive, lease_until, server_identity, listener_connection) ON {schema}.queue_worker TO {account};
GRANT PROCESS, /*!80000 CONNECTION_ADMIN */ /*M! CONNECTION ADMIN */ ON *.* TO {account};
