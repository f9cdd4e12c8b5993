package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.Transactions;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jooq.Table;
import org.jooq.TableField;
import org.jspecify.annotations.Nullable;

/**
 * Finds the topics, with one index lookup per topic: a loose index scan, which neither server
 * reliably uses for DISTINCT.
 */
final class JooqTopicNames {

  /** The limit for each table, well above what fits on a page. */
  static final int MOST = 200;

  private JooqTopicNames() {}

  /** Returns the names in the two tables, in order. */
  static Set<String> read(Transactions transactions) {
    return transactions.read(
        dsl -> {
          Set<String> names = new TreeSet<>();
          walk(dsl, QUEUE_MESSAGE.forceIndex("queue_message_claim"), QUEUE_MESSAGE.TOPIC, names);
          walk(
              dsl,
              QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"),
              QUEUE_DEAD_LETTER.TOPIC,
              names);
          return names;
        });
  }

  private static void walk(
      DSLContext dsl, Table<?> table, TableField<?, String> topic, Set<String> names) {
    String name = next(dsl, table, topic, "");
    for (int i = 0; i < MOST && name != null; i++) {
      names.add(name);
      name = next(dsl, table, topic, name);
    }
  }

  private static @Nullable String next(
      DSLContext dsl, Table<?> table, TableField<?, String> topic, String after) {
    return dsl.select(topic)
        .from(table)
        .where(topic.gt(after))
        .orderBy(topic)
        .limit(1)
        .fetchOne(topic);
  }
}
