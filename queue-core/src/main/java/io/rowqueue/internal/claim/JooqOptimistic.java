package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.DSLContext;

/**
 * Updates some candidates, picked at random, one by one; an update finds no row if another worker
 * was faster. For engines on which a locking read locks only on its own node.
 */
public final class JooqOptimistic implements ClaimQuery {

  private static final int CANDIDATES = 100;

  @Override
  public int sees(int limit) {
    return Math.max(limit, CANDIDATES);
  }

  /** At random, so that claimers rarely collide. */
  @Override
  public List<Candidate> pick(List<Candidate> found, int limit) {
    List<Candidate> shuffled = new ArrayList<>(found);
    Collections.shuffle(shuffled, ThreadLocalRandom.current());
    Set<Candidate> picked = new HashSet<>(shuffled.subList(0, Math.min(limit, found.size())));
    return found.stream().filter(picked::contains).toList();
  }

  @Override
  public List<Claim> take(Transaction tx, ClaimRequest request, List<Candidate> offered)
      throws SQLException {
    List<Long> won =
        offered.stream()
            .sorted(Comparator.comparing(Candidate::id))
            .filter(one -> wins(tx.dsl(), request, one))
            .map(Candidate::id)
            .toList();
    return won.isEmpty()
        ? List.of()
        : JooqTaken.afterUpdate(tx.dsl(), request, JooqMessages.byIds(won.stream()));
  }

  private static boolean wins(DSLContext dsl, ClaimRequest request, Candidate one) {
    return JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request.lockId().value())
            .set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 0)
            .where(QUEUE_MESSAGE.ID.eq(one.id()))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
            .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(one.claims()))
            .execute()
        == 1;
  }
}
