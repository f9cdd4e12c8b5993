package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.message.Topic;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Finds what may be claimed, in claim order and without locks. */
final class JooqCandidates {

  private JooqCandidates() {}

  /**
   * The first {@code limit} of those available messages of {@code topic} that {@code within} is
   * true of.
   */
  static List<Candidate> find(DSLContext dsl, Topic topic, Condition within, int limit) {
    return dsl.select(
            QUEUE_MESSAGE.ID, QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.LOST)
        .from(JooqMessages.BY_CLAIM_KEY)
        .where(JooqMessages.available(topic))
        .and(within)
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .limit(limit)
        .fetch(row -> new Candidate(row.value1(), row.value2(), row.value3(), row.value4()));
  }

  /** Those that need not be handled alone. */
  static Condition innocent(ClaimRequest request) {
    return QUEUE_MESSAGE.LOST.lt(request.aloneFrom());
  }

  /** All but these. */
  static Condition notAmong(List<Candidate> known) {
    return known.isEmpty()
        ? DSL.noCondition()
        : QUEUE_MESSAGE.ID.notIn(known.stream().map(Candidate::id).sorted().toList());
  }
}
