-- What a producer that publishes needs, on top of `grants producer`: to read who is subscribed, and to keep that as it is until its COMMIT.
GRANT SELECT ON {schema}.queue_publication_lock TO {account};
GRANT SELECT ON {schema}.queue_subscription TO {account};
