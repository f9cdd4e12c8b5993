package io.rowqueue.internal.database;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.TableField;

/**
 * Deletes rows that are no longer needed, by primary key. Rows that a transaction has locked are
 * skipped. A row that the server refuses to delete is left out for a growing delay, and does not
 * stop the others. Thread-safe.
 *
 * @param <K> the type of the primary key
 */
public final class Pruning<K> {

  private static final Duration FIRST = Duration.ofHours(1);
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Transactions transactions;
  private final Transition transition;
  private final Table<?> table;
  private final Field<K> key;
  private final Function<K, ?> id;
  private final RefusedRows<Object> refused;

  public Pruning(Transactions transactions, Transition transition, TableField<?, K> key) {
    this(transactions, transition, key, Function.identity());
  }

  /** With {@code id}, which returns a key as it is logged, and with {@code equals}. */
  public Pruning(
      Transactions transactions, Transition transition, TableField<?, K> key, Function<K, ?> id) {
    this.transactions = transactions;
    this.transition = transition;
    this.table = Objects.requireNonNull(key.getTable());
    this.key = key;
    this.id = id;
    this.refused = rows("the deletion of " + table.getName());
  }

  /** For rows that the caller deletes. */
  public static <K> RefusedRows<K> rows(String what) {
    return new RefusedRows<>(what, FIRST, LONGEST);
  }

  /** Leaves rows whose deletion was refused out of a query; for keys that are their own id. */
  public Condition others() {
    return refused.others(key);
  }

  /**
   * Deletes those of {@code keys} that are still {@code old}.
   *
   * @return how many
   */
  public int delete(List<K> keys, Condition old) {
    return RefusedRows.sum(
        refused.change(
            refused.others(keys, id),
            id::apply,
            some -> transactions.run(transition, tx -> delete(tx.dsl(), some, old))));
  }

  private int delete(DSLContext dsl, List<K> keys, Condition old) {
    List<K> free =
        dsl.select(key)
            .from(table.forceIndex("PRIMARY"))
            .where(key.in(keys))
            .and(old)
            .orderBy(key)
            .forUpdate()
            .skipLocked()
            .fetch(key);
    return free.isEmpty() ? 0 : PrimaryKeyDelete.run(dsl, table, key.in(free));
  }
}
