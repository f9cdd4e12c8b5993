package io.rowqueue.worker.internal.admin;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;

/** Counts dead letters. A worker's account can read only their ids and topics. */
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

  /** Counts those of one topic; reads one index entry per dead letter. */
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
