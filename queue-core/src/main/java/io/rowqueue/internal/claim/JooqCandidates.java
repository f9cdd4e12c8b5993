package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Finds claimable messages, in claim order and without locks. */
final class JooqCandidates {

  private JooqCandidates() {}

  /** The first {@code limit} available messages of {@code topic} for which {@code within} holds. */
  static List<Candidate> find(DSLContext dsl, Topic topic, Condition within, int limit)
      throws SQLException {
    try (ResultSet rows =
        dsl.select(
                QUEUE_MESSAGE.ID,
                QUEUE_MESSAGE.PRIORITY,
                QUEUE_MESSAGE.CLAIM_NUMBER,
                QUEUE_MESSAGE.LOST_CLAIMS)
            .from(JooqMessages.BY_CLAIM_KEY)
            .where(JooqMessages.available(topic))
            .and(within)
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .limit(limit)
            .fetchResultSet()) {
      List<Candidate> found = new ArrayList<>();
      while (rows.next()) {
        found.add(new Candidate(rows.getLong(1), rows.getByte(2), rows.getInt(3), rows.getInt(4)));
      }
      return found;
    }
  }

  /** Messages that need not be handled alone. */
  static Condition innocent(ClaimRequest request) {
    return QUEUE_MESSAGE.LOST_CLAIMS.lt(request.aloneFrom());
  }

  /** All messages except {@code known}. */
  static Condition notAmong(Collection<Long> known) {
    return known.isEmpty()
        ? DSL.noCondition()
        : QUEUE_MESSAGE.ID.notIn(known.stream().sorted().toList());
  }
}
