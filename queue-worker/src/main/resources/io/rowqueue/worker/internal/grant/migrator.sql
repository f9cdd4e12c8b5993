-- What `migrate` needs, for the time of a deployment. Nobody can name the tables of the next version beforehand, so it is
-- for the whole schema: the team's own tables, too, where they lie in the same one. Version 1 needs SELECT, INSERT, CREATE and
-- INDEX; ALTER, DROP, UPDATE and DELETE are for later versions, which change tables and what is in them.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON {schema_pattern}.* TO {account};
