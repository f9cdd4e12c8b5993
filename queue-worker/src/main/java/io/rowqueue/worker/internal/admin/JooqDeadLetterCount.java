package io.rowqueue.worker.internal.admin;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;

/** How many dead letters there are. A worker's account sees nothing but their ids and topics. */
final class JooqDeadLetterCount {

  private JooqDeadLetterCount() {}

  static long upTo(int most, Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(
                    dsl.select(QUEUE_DEAD_LETTER.ID)
                        .from(QUEUE_DEAD_LETTER)
                        .limit(most)
                        .asTable("dead"))
                .fetchSingle()
                .value1()
                .longValue());
  }

  /** The same of one topic: a step along a key for each of them. */
  static long upTo(int most, Topic topic, Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(
                    dsl.select(QUEUE_DEAD_LETTER.ID)
                        .from(QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"))
                        .where(QUEUE_DEAD_LETTER.TOPIC.eq(topic.name()))
                        .limit(most)
                        .asTable("dead"))
                .fetchSingle()
                .value1()
                .longValue());
  }
}
