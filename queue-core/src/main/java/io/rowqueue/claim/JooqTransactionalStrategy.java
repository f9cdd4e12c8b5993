package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.Taking.Want;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.message.Topic;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** One claim, one transaction: what the strategies have in common round their {@link Taking}. */
final class JooqTransactionalStrategy implements ClaimStrategy {

  /**
   * How often a claim looks behind what others were faster to take. A worker that stands still in
   * the middle of its claim holds as many rows as it asked for, and is passed by in as many looks
   * as fit into that.
   */
  private static final int MOST_LOOKS = 25;

  private final Transactions transactions;
  private final Taking taking;
  private final boolean cursor;
  private final Map<Topic, LowWater> lowWaters = new ConcurrentHashMap<>();

  JooqTransactionalStrategy(Transactions transactions, Taking taking, boolean cursor) {
    this.transactions = transactions;
    this.taking = taking;
    this.cursor = cursor;
  }

  /**
   * A transaction a look, so that none that holds rows already tries to lock others before them.
   */
  @Override
  public List<Claim> claim(ClaimRequest request) {
    NavigableMap<Byte, Long> missed = new TreeMap<>();
    Batch batch = look(request, missed);
    for (int i = 1; i < MOST_LOOKS && batch.wasMissed(); i++) {
      batch.missed().forEach(one -> missed.merge(one.priority(), one.id(), Math::max));
      batch = look(request, missed);
    }
    return batch.claims();
  }

  private Batch look(ClaimRequest request, NavigableMap<Byte, Long> missed) {
    Condition behind = JooqCursor.above(missed);
    if (!cursor) {
      return transactions.run(Transition.CLAIM, tx -> claim(tx.dsl(), request, behind));
    }
    LowWater lowWater = lowWaters.computeIfAbsent(request.topic(), topic -> new LowWater());
    Batch batch =
        transactions.run(Transition.CLAIM, tx -> claim(tx.dsl(), request, behind, lowWater));
    batch.pass(lowWater);
    return batch;
  }

  private Batch claim(DSLContext dsl, ClaimRequest request, Condition behind, LowWater lowWater) {
    boolean reset = lowWater.needsReset(System.nanoTime());
    if (reset) {
      JooqCursor.reset(dsl, request.topic(), lowWater);
    }
    Batch batch = claim(dsl, request, behind.and(JooqCursor.above(lowWater.marks())));
    if (reset || !batch.isEmpty()) {
      return batch;
    }
    // Somebody thinks that there is something, and nothing lies above the marks.
    JooqCursor.reset(dsl, request.topic(), lowWater);
    return claim(dsl, request, behind.and(JooqCursor.above(lowWater.marks())));
  }

  private Batch claim(DSLContext dsl, ClaimRequest request, Condition within) {
    Batch batch = Batch.of(request, taking.take(dsl, new Want(request, request.limit(), within)));
    if (!batch.left().isEmpty()) {
      taking.leave(dsl, batch.left());
      batch = batch.with(more(dsl, request, batch, within));
    }
    return batch.keeping(taking.keep(dsl, request, batch.kept()));
  }

  /** Suspects must not hold up what lies behind them. */
  private List<Taken> more(DSLContext dsl, ClaimRequest request, Batch head, Condition within) {
    Condition behind =
        within.and(QUEUE_MESSAGE.LOST.lt(request.aloneFrom())).and(notIn(head.kept()));
    int rest = request.limit() - head.kept().size();
    return taking.take(dsl, new Want(request, rest, behind));
  }

  private static Condition notIn(List<Taken> kept) {
    return kept.isEmpty()
        ? DSL.noCondition()
        : QUEUE_MESSAGE.ID.notIn(kept.stream().map(Taken::id).sorted().toList());
  }
}
