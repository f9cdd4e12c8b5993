package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.DSLContext;

/**
 * A read of candidates without locks, and for those picked at random an update each, which finds
 * nothing if somebody else was faster. For engines where a locking read holds only on its own node.
 */
final class JooqOptimistic implements Taking {

  private static final int CANDIDATES = 100;

  @Override
  public List<Taken> take(DSLContext dsl, Want want) {
    List<Long> picked = picked(dsl, want);
    if (picked.isEmpty()) {
      return List.of();
    }
    return JooqTaken.beforeUpdate(
        want.request(),
        dsl.select(JooqBodies.CLAIM_COLUMNS)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(JooqMessages.byIds(picked.stream()))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .fetch());
  }

  /** At random, so that claimers meet seldom. */
  private static List<Long> picked(DSLContext dsl, Want want) {
    List<Long> candidates =
        new ArrayList<>(
            dsl.select(QUEUE_MESSAGE.ID)
                .from(JooqMessages.BY_CLAIM_KEY)
                .where(JooqMessages.available(want.request().topic()))
                .and(want.within())
                .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
                .limit(CANDIDATES)
                .fetch(QUEUE_MESSAGE.ID));
    Collections.shuffle(candidates, ThreadLocalRandom.current());
    return candidates.subList(0, Math.min(want.limit(), candidates.size()));
  }

  /** It was only read. */
  @Override
  public void leave(DSLContext dsl, List<Taken> left) {}

  /** In the order of their ids, so that two who meet do not cross. */
  @Override
  public List<Taken> keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {
    Set<Taken> won = new HashSet<>();
    kept.stream()
        .sorted(Comparator.comparing(Taken::id))
        .filter(one -> wins(dsl, request, one))
        .forEach(won::add);
    return kept.stream().filter(won::contains).toList();
  }

  private static boolean wins(DSLContext dsl, ClaimRequest request, Taken one) {
    return JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request)
            .set(QUEUE_MESSAGE.STARTED, (byte) 0)
            .where(QUEUE_MESSAGE.ID.eq(one.id()))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
            .and(QUEUE_MESSAGE.CLAIMS.eq(one.claim().number() - 1))
            .execute()
        == 1;
  }
}
