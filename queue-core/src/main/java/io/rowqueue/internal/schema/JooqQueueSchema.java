package io.rowqueue.internal.schema;

import static io.rowqueue.internal.table.DefaultSchema.DEFAULT_SCHEMA;
import static io.rowqueue.internal.table.Tables.QUEUE_SCHEMA;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.SchemaException;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transactions;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Record2;
import org.jspecify.annotations.Nullable;

public final class JooqQueueSchema implements QueueSchema {

  private static final int NO_SUCH_TABLE = 1146;

  private final Transactions transactions;
  private volatile @Nullable String queueName;

  public JooqQueueSchema(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void check() {
    Record2<Integer, Integer> newest = newest();
    if (newest == null || newest.value1() < KNOWN_VERSION) {
      throw new SchemaException(
          "the schema is version %d, but this RowQueue needs %d; run `queue-worker migrate` with an account that may create tables"
              .formatted(newest == null ? 0 : newest.value1(), KNOWN_VERSION),
          null);
    }
    if (newest.value2() > KNOWN_VERSION) {
      throw new SchemaException(
          "the schema is version %d, which requires a RowQueue that knows version %d, but this one knows %d: deploy a newer one"
              .formatted(newest.value1(), newest.value2(), KNOWN_VERSION),
          null);
    }
    checkEngines();
  }

  /** Another engine has no transactions, so a rollback would have no effect. */
  private void checkEngines() {
    List<String> others =
        transactions.read(
            dsl ->
                dsl
                    .fetch(
                        "SELECT table_name, engine FROM information_schema.tables WHERE"
                            + " table_schema = DATABASE() AND engine <> 'InnoDB' ORDER BY"
                            + " table_name")
                    .stream()
                    .filter(row -> DEFAULT_SCHEMA.getTable(row.get(0, String.class)) != null)
                    .map(row -> row.get(0) + " (" + row.get(1) + ")")
                    .toList());
    if (!others.isEmpty()) {
      throw new SchemaException(
          "tables with another engine than InnoDB have no transactions: %s; ALTER TABLE each with ENGINE = InnoDB"
              .formatted(String.join(", ", others)),
          null);
    }
  }

  private @Nullable Record2<Integer, Integer> newest() {
    try {
      return transactions.read(
          dsl ->
              dsl.select(QUEUE_SCHEMA.VERSION, QUEUE_SCHEMA.OLDEST_KNOWN)
                  .from(QUEUE_SCHEMA)
                  .orderBy(QUEUE_SCHEMA.VERSION.desc())
                  .limit(1)
                  .fetchOne());
    } catch (DatabaseUnavailableException e) {
      if (isMissingTable(e)) {
        throw new SchemaException(
            "the queue's tables are not in this schema; run `queue-worker migrate` with an account"
                + " that may create tables, or check the schema in the URL",
            e);
      }
      throw e;
    }
  }

  private static boolean isMissingTable(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    return error != null && error.getErrorCode() == NO_SUCH_TABLE;
  }

  @Override
  public String queueName() {
    String known = queueName;
    if (known == null) {
      known = readQueueName();
      queueName = known;
    }
    return known;
  }

  private String readQueueName() {
    String name =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_SCHEMA.QUEUE_NAME)
                    .from(QUEUE_SCHEMA)
                    .where(QUEUE_SCHEMA.VERSION.eq(1))
                    .fetchOne(QUEUE_SCHEMA.QUEUE_NAME));
    if (name == null) {
      throw new SchemaException(
          "the queue has no name; UPDATE queue_schema SET queue_name = UUID() WHERE version = 1, as"
              + " the first migration did",
          null);
    }
    return name;
  }
}
