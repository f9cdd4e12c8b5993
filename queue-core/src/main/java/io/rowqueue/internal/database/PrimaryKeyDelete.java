package io.rowqueue.internal.database;

import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Deletes rows by primary key only: without it, MariaDB scanned a small table for a hundred ids and
 * waited for unrelated rows. Both servers accept this form.
 */
public final class PrimaryKeyDelete {

  /** The alias of the table in {@code where}: {@code table.as(ALIAS)}. */
  public static final String ALIAS = "m";

  private PrimaryKeyDelete() {}

  /**
   * Deletes the rows of {@code table} for which {@code where} holds.
   *
   * @return how many
   */
  public static int run(DSLContext dsl, Table<?> table, Condition where) {
    return dsl.execute(of(table, where));
  }

  /** The statement that deletes the rows of {@code table} for which {@code where} holds. */
  public static Query of(Table<?> table, Condition where) {
    return DSL.query("DELETE m FROM {0} m FORCE INDEX (PRIMARY) WHERE {1}", table, where);
  }
}
