package io.rowqueue.internal.database;

import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Deletes rows by primary key and by nothing else: left to itself, MariaDB scanned a small table
 * for a hundred ids and waited on strangers' rows. The form is the one that both servers take.
 */
public final class PrimaryKeyDelete {

  /** What {@code where} must call the table: {@code table.as(ALIAS)}. */
  public static final String ALIAS = "m";

  private PrimaryKeyDelete() {}

  /**
   * Deletes the rows of {@code table} that {@code where} means.
   *
   * @return how many
   */
  public static int run(DSLContext dsl, Table<?> table, Condition where) {
    return dsl.execute(of(table, where));
  }

  /** The statement that deletes the rows of {@code table} that {@code where} means. */
  public static Query of(Table<?> table, Condition where) {
    return DSL.query("DELETE m FROM {0} m FORCE INDEX (PRIMARY) WHERE {1}", table, where);
  }
}
