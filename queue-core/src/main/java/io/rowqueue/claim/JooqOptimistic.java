package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.DSLContext;
import org.jooq.Record2;

/**
 * A read of candidates without locks, and for those picked at random an update each, which finds
 * nothing if somebody else was faster. For engines where a locking read holds only on its own node.
 */
final class JooqOptimistic implements Taking {

  private static final int CANDIDATES = 100;

  @Override
  public List<Taken> take(DSLContext dsl, Want want) {
    List<Long> won = new ArrayList<>();
    for (Record2<Long, Integer> picked : picked(dsl, want)) {
      if (wins(dsl, want.request(), picked)) {
        won.add(picked.value1());
      }
    }
    if (won.isEmpty()) {
      return List.of();
    }
    return JooqTaken.afterUpdate(
        want.request(),
        dsl.select(JooqBodies.CLAIM_COLUMNS)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(JooqMessages.byIds(won.stream()))
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .fetch());
  }

  /** At random, so that claimers meet seldom; then sorted, so that those who meet do not cross. */
  private static List<Record2<Long, Integer>> picked(DSLContext dsl, Want want) {
    List<Record2<Long, Integer>> candidates =
        new ArrayList<>(
            dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.CLAIMS)
                .from(JooqMessages.BY_CLAIM_KEY)
                .where(JooqMessages.available(want.request().topic()))
                .and(want.within())
                .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
                .limit(CANDIDATES)
                .fetch());
    Collections.shuffle(candidates, ThreadLocalRandom.current());
    return candidates.stream()
        .limit(want.limit())
        .sorted(Comparator.comparing(Record2::value1))
        .toList();
  }

  private static boolean wins(
      DSLContext dsl, ClaimRequest request, Record2<Long, Integer> candidate) {
    return JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request)
            .set(QUEUE_MESSAGE.STARTED, (byte) 0)
            .where(QUEUE_MESSAGE.ID.eq(candidate.value1()))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
            .and(QUEUE_MESSAGE.CLAIMS.eq(candidate.value2()))
            .execute()
        == 1;
  }

  @Override
  public void leave(DSLContext dsl, List<Taken> left) {
    JooqTaken.undo(dsl, left);
  }

  @Override
  public void keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {}
}
