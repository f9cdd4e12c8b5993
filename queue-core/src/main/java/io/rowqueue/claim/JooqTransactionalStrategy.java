package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.Taking.Want;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.message.Topic;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** One claim, one transaction: what the strategies have in common round their {@link Taking}. */
final class JooqTransactionalStrategy implements ClaimStrategy {

  private final Transactions transactions;
  private final Taking taking;
  private final boolean cursor;
  private final Map<Topic, LowWater> lowWaters = new ConcurrentHashMap<>();

  JooqTransactionalStrategy(Transactions transactions, Taking taking, boolean cursor) {
    this.transactions = transactions;
    this.taking = taking;
    this.cursor = cursor;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    if (!cursor) {
      return transactions
          .run(Transition.CLAIM, tx -> claim(tx.dsl(), request, DSL.noCondition()))
          .claims();
    }
    LowWater lowWater = lowWaters.computeIfAbsent(request.topic(), topic -> new LowWater());
    Batch batch = transactions.run(Transition.CLAIM, tx -> claim(tx.dsl(), request, lowWater));
    batch.pass(lowWater);
    return batch.claims();
  }

  private Batch claim(DSLContext dsl, ClaimRequest request, LowWater lowWater) {
    boolean reset = lowWater.needsReset(System.nanoTime());
    if (reset) {
      JooqCursor.reset(dsl, request.topic(), lowWater);
    }
    Batch batch = claim(dsl, request, JooqCursor.above(lowWater.marks()));
    if (reset || !batch.kept().isEmpty()) {
      return batch;
    }
    // Somebody thinks that there is something, and nothing lies above the marks.
    JooqCursor.reset(dsl, request.topic(), lowWater);
    return claim(dsl, request, JooqCursor.above(lowWater.marks()));
  }

  private Batch claim(DSLContext dsl, ClaimRequest request, Condition within) {
    Batch batch = Batch.of(request, taking.take(dsl, new Want(request, request.limit(), within)));
    if (!batch.left().isEmpty()) {
      taking.leave(dsl, batch.left());
      batch = new Batch(more(dsl, request, batch, within), batch.left());
    }
    taking.keep(dsl, request, batch.kept());
    return batch;
  }

  /** Suspects must not hold up what lies behind them. */
  private List<Taken> more(DSLContext dsl, ClaimRequest request, Batch head, Condition within) {
    Condition behind =
        within.and(QUEUE_MESSAGE.LOST.lt(request.aloneFrom())).and(notIn(head.kept()));
    int rest = request.limit() - head.kept().size();
    List<Taken> others = taking.take(dsl, new Want(request, rest, behind));
    return Stream.concat(head.kept().stream(), others.stream()).toList();
  }

  private static Condition notIn(List<Taken> kept) {
    return kept.isEmpty()
        ? DSL.noCondition()
        : QUEUE_MESSAGE.ID.notIn(kept.stream().map(Taken::id).sorted().toList());
  }
}
