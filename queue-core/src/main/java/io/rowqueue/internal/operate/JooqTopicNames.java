package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import java.util.Set;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jooq.Table;
import org.jooq.TableField;
import org.jspecify.annotations.Nullable;

/**
 * Finds the topics in use, with one index lookup per topic: a loose index scan, which neither
 * server reliably uses for DISTINCT. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails.
 */
public final class JooqTopicNames {

  private JooqTopicNames() {}

  /** Returns the topics of messages: the first {@code most} by name, in order. */
  public static Set<String> ofMessages(DSLContext dsl, int most) {
    return read(dsl, QUEUE_MESSAGE.forceIndex("queue_message_claim"), QUEUE_MESSAGE.TOPIC, most);
  }

  /** Returns the topics of dead letters: the first {@code most} by name, in order. */
  public static Set<String> ofDeadLetters(DSLContext dsl, int most) {
    return read(
        dsl,
        QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"),
        QUEUE_DEAD_LETTER.TOPIC,
        most);
  }

  private static Set<String> read(
      DSLContext dsl, Table<?> table, TableField<?, String> topic, int most) {
    Set<String> names = new TreeSet<>();
    String name = next(dsl, table, topic, "");
    while (name != null && names.size() < most) {
      names.add(name);
      name = next(dsl, table, topic, name);
    }
    return names;
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
