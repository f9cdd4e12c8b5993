package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;
import static io.rowqueue.internal.table.Tables.QUEUE_SUBSCRIPTION;

import io.rowqueue.internal.database.Transactions;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Finds the topics in use. */
final class JooqTopics {

  private static final int MOST = 1_000;

  private final Transactions transactions;

  public JooqTopics(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns the topics of messages, the first thousand by name: one lookup in the claim index each.
   */
  List<String> present() {
    return transactions.read(
        dsl -> {
          List<String> names = new ArrayList<>();
          String next = after("", dsl);
          while (next != null && names.size() < MOST) {
            names.add(next);
            next = after(next, dsl);
          }
          return names;
        });
  }

  private static @Nullable String after(String name, DSLContext dsl) {
    return dsl.select(QUEUE_MESSAGE.TOPIC)
        .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
        .where(QUEUE_MESSAGE.TOPIC.gt(name))
        .orderBy(QUEUE_MESSAGE.TOPIC)
        .limit(1)
        .fetchOne(QUEUE_MESSAGE.TOPIC);
  }

  List<String> subscribed() {
    return transactions.read(
        dsl ->
            dsl.selectDistinct(QUEUE_SUBSCRIPTION.TOPIC)
                .from(QUEUE_SUBSCRIPTION)
                .where(QUEUE_SUBSCRIPTION.PAUSED.eq((byte) 0))
                .fetch(QUEUE_SUBSCRIPTION.TOPIC));
  }

  List<String> scheduled() {
    return transactions.read(
        dsl ->
            dsl.selectDistinct(QUEUE_SCHEDULE.TOPIC)
                .from(QUEUE_SCHEDULE)
                .where(QUEUE_SCHEDULE.PAUSED.eq((byte) 0))
                .fetch(QUEUE_SCHEDULE.TOPIC));
  }
}
