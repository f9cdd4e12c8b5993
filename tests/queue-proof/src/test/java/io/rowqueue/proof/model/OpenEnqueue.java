package io.rowqueue.proof.model;

import java.sql.Connection;
import java.util.List;

/** A producer's transaction that is still open, and what is in the queue once it commits. */
record OpenEnqueue(Connection connection, List<MessageRow> rows) {}
