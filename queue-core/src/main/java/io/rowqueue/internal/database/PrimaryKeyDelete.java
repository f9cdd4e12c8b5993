package io.rowqueue.internal.database;

import java.util.List;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Deletes rows by primary key only: without it, MariaDB scanned a small table for a hundred ids and
 * waited for unrelated rows. Both servers accept this form. A forced index alone is not enough:
 * MySQL and MariaDB before 11 still scan a small table if the statement names no column but those
 * of the key.
 */
public final class PrimaryKeyDelete {

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
    return DSL.query(
        "DELETE {0} FROM {0} FORCE INDEX (PRIMARY) WHERE {1}",
        table, where.and(outsideKey(table).isNotNull()));
  }

  /** A worker's account must be able to read it: GrantsIT shows that it needs no other. */
  private static Field<?> outsideKey(Table<?> table) {
    List<? extends Field<?>> key = Objects.requireNonNull(table.getPrimaryKey()).getFields();
    return table
        .fieldStream()
        .filter(field -> !field.getDataType().nullable() && !key.contains(field))
        .findFirst()
        .orElseThrow();
  }
}
