-- `migrate` and `archive partition`, for the time of a deployment. Nobody knows the tables of the next version beforehand, so the grant
-- covers the whole schema, your own tables included if they are in it. Version 1 needs SELECT, INSERT, CREATE and INDEX; later versions
-- need ALTER, DROP, UPDATE and DELETE.
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON {schema_pattern}.* TO {account};
