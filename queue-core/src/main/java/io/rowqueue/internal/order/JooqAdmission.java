package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_HEAD;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_KEY;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Question;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;

public final class JooqAdmission implements Admission {

  /** Whoever ends a head waits for the work of as many messages at most. */
  private static final int MOST = 200;

  private static final Condition IS_USED =
      DSL.exists(DSL.selectOne().from(QUEUE_ORDER_KEY))
          .or(
              DSL.exists(
                  DSL.selectOne()
                      .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                      .where(JooqArrivals.ARRIVES)));

  private static final Table<?> BY_STALLED =
      QUEUE_ORDER_HEAD.forceIndex("queue_order_head_stalled");

  /** One whose messages have a rate waits for its time. */
  private static final Condition IS_STALLED =
      QUEUE_ORDER_HEAD
          .STALLED
          .eq(DSL.inline((byte) 1))
          .and(QUEUE_ORDER_HEAD.NEXT_AT.le(DatabaseClock.now()));

  private static final Condition ANY_IS_STALLED =
      DSL.exists(DSL.selectOne().from(BY_STALLED).where(IS_STALLED));

  private final Transactions transactions;
  private final NextInLine next;
  private final JooqKeyLimits limits;
  private final ArrivalMark mark = new ArrivalMark();
  private volatile boolean used;
  private volatile boolean stalled;
  private volatile boolean limitsChanged;
  private volatile boolean promoted;

  public JooqAdmission(Transactions transactions, NextInLine next) {
    this.transactions = transactions;
    this.limits = new JooqKeyLimits(transactions);
    this.next = next;
  }

  @Override
  public List<Question> questions() {
    return List.of(
        Question.whether(IS_USED, is -> used = is),
        Question.whether(ANY_IS_STALLED, is -> stalled |= is),
        Question.whether(JooqKeyLimits.ANY_HAS_CHANGED, is -> limitsChanged |= is));
  }

  @Override
  public Duration wait(Duration longest) {
    return next.alarm().wait(longest);
  }

  @Override
  public void promoted() {
    promoted = true;
  }

  @Override
  public int admit() {
    boolean arrives = used || promoted;
    promoted = false;
    int changed = arrives ? admitArrived(mark.above(System.nanoTime())) : 0;
    if (limitsChanged) {
      limitsChanged = false;
      stalled |= heedLimits() > 0;
    }
    if (next.alarm().rings() || stalled) {
      stalled = false;
      changed += goOn();
    }
    return changed;
  }

  @Override
  public int heedLimits() {
    return limits.apply();
  }

  @Override
  public int admitNow() {
    heedLimits();
    return admitArrived(0) + goOn();
  }

  private int admitArrived(long above) {
    List<Arrival> found = transactions.read(dsl -> JooqArrivals.look(dsl, above, MOST));
    if (found.isEmpty()) {
      return 0;
    }
    Map<TopicKeyId, List<Arrival>> lines =
        found.stream()
            .sorted()
            .collect(Collectors.groupingBy(Arrival::lineId, TreeMap::new, Collectors.toList()));
    makeHeads(lines);
    Set<Long> admitted =
        transactions.run(Transition.ADMIT, tx -> new JooqAdmitting(tx, next).admit(lines));
    mark.looked(found.stream().filter(Arrival::unseen).map(Arrival::id).toList(), admitted);
    return admitted.size();
  }

  /** In a COMMIT of its own, since others wait for whoever inserts the row that they need. */
  private void makeHeads(Map<TopicKeyId, List<Arrival>> lines) {
    Set<TopicKeyId> known = transactions.read(dsl -> JooqArrivals.heads(dsl, lines.keySet()));
    List<Line> missing =
        lines.values().stream()
            .map(arrivals -> arrivals.get(0).line())
            .filter(line -> !known.contains(line.id()))
            .toList();
    if (!missing.isEmpty()) {
      transactions.run(Transition.ADMIT, tx -> JooqArrivals.makeHeads(tx.dsl(), missing));
    }
  }

  private int goOn() {
    List<TopicKeyId> lines =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
                    .from(BY_STALLED)
                    .where(IS_STALLED)
                    .orderBy(QUEUE_ORDER_HEAD.NEXT_AT)
                    .limit(MOST)
                    .fetch(row -> TopicKeyId.of(row.value1())));
    if (lines.isEmpty()) {
      return 0;
    }
    int gone = transactions.run(Transition.ADMIT, tx -> new JooqAdmitting(tx, next).goOn(lines));
    stalled |= gone > 0;
    return gone;
  }
}
