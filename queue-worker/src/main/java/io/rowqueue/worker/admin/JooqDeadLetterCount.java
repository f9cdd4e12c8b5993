package io.rowqueue.worker.admin;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.database.Transactions;

/** How many dead letters there are. A worker's account sees nothing but their ids. */
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
}
