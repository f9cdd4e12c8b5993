package io.rowqueue.database;

import java.sql.Connection;
import org.jooq.DSLContext;

/**
 * One open transaction. Confined to the thread that runs it, and over when the work returns.
 *
 * @param connection its connection, with auto-commit off
 * @param dsl jOOQ on that connection
 */
public record Transaction(Connection connection, DSLContext dsl) {}
