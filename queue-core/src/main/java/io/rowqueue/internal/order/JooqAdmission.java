package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_LOCK;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;

public final class JooqAdmission implements Admission {

  /** The most messages per transaction: settlements of their groups wait for it. */
  private static final int MOST = 200;

  private static final Condition IS_USED =
      ExistsCondition.of(DSL.selectOne().from(QUEUE_ORDERING_LOCK))
          .or(
              ExistsCondition.of(
                  DSL.selectOne()
                      .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                      .where(NewOrderedMessages.ARRIVES)));

  private static final Table<?> BY_STALLED =
      QUEUE_ORDERING_GROUP.forceIndex("queue_ordering_group_release");

  /** A group with a rate waits until its next start. */
  private static final Condition IS_STALLED =
      QUEUE_ORDERING_GROUP
          .NEEDS_RELEASE
          .eq(DSL.inline((byte) 1))
          .and(QUEUE_ORDERING_GROUP.NEXT_AT.le(DatabaseClock.now()));

  private static final Condition ANY_IS_STALLED =
      ExistsCondition.of(DSL.selectOne().from(BY_STALLED).where(IS_STALLED));

  private final Transactions transactions;
  private final OrderingRelease next;
  private final JooqKeyLimits limits;
  private final IntakeCursor mark = new IntakeCursor();
  private final RefusedRows<TopicKeyId> refused =
      new RefusedRows<>("the admission to ordering group");
  private volatile boolean used;
  private volatile boolean stalled;
  private volatile boolean limitsChanged;
  private volatile boolean promoted;

  public JooqAdmission(Transactions transactions, OrderingRelease next) {
    this.transactions = transactions;
    this.limits = new JooqKeyLimits(transactions);
    this.next = next;
  }

  @Override
  public List<PiggybackQuery> questions() {
    return List.of(
        PiggybackQuery.whether(IS_USED, is -> used = is),
        PiggybackQuery.whether(ANY_IS_STALLED, is -> stalled |= is),
        PiggybackQuery.whether(JooqKeyLimits.ANY_HAS_CHANGED, is -> limitsChanged |= is));
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
    return sum(
        () -> arrives ? admitArrived(mark.above(System.nanoTime())) : 0,
        this::applyChangedLimits,
        this::goOnIfStalled);
  }

  private static int sum(IntSupplier... steps) {
    return IndependentParts.sum(List.of(steps), IntSupplier::getAsInt);
  }

  private int applyChangedLimits() {
    if (limitsChanged) {
      limitsChanged = false;
      stalled |= applyLimits() > 0;
    }
    return 0;
  }

  private int goOnIfStalled() {
    if (next.alarm().isDue() || stalled) {
      stalled = false;
      return goOn();
    }
    return 0;
  }

  @Override
  public int applyLimits() {
    return limits.apply();
  }

  @Override
  public int admitNow() {
    return sum(
        () -> {
          applyLimits();
          return 0;
        },
        () -> admitArrived(0),
        this::goOn);
  }

  @Override
  public Optional<QueueException> refusal() {
    return refused.refusal();
  }

  private int admitArrived(long above) {
    List<NewOrderedMessage> found =
        transactions.read(dsl -> NewOrderedMessages.read(dsl, above, MOST));
    if (found.isEmpty()) {
      return 0;
    }
    Set<TopicKeyId> delayed = refused.delayed();
    Map<TopicKeyId, List<NewOrderedMessage>> groups =
        found.stream()
            .filter(one -> !delayed.contains(one.groupId()))
            .sorted()
            .collect(
                Collectors.groupingBy(
                    NewOrderedMessage::groupId, TreeMap::new, Collectors.toList()));
    Set<Long> admitted = admit(groups);
    mark.polled(
        found.stream().filter(NewOrderedMessage::unseen).map(NewOrderedMessage::id).toList(),
        admitted);
    return admitted.size();
  }

  private Set<Long> admit(Map<TopicKeyId, List<NewOrderedMessage>> groups) {
    return refused
        .change(
            List.copyOf(groups.keySet()),
            group -> group,
            some -> {
              Map<TopicKeyId, List<NewOrderedMessage>> part = new TreeMap<>(groups);
              part.keySet().retainAll(some);
              makeGroups(part);
              return transactions.run(
                  Transition.ADMIT, tx -> new JooqAdmitting(tx, next).admit(part));
            })
        .stream()
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }

  /**
   * In a COMMIT of its own, since other transactions wait for the insert of a row that they need.
   */
  private void makeGroups(Map<TopicKeyId, List<NewOrderedMessage>> groups) {
    List<OrderingGroup> missing =
        groups.values().stream()
            .map(arrivals -> arrivals.get(0))
            .filter(first -> !first.hasGroup())
            .map(NewOrderedMessage::group)
            .toList();
    if (!missing.isEmpty()) {
      transactions.run(Transition.ADMIT, tx -> NewOrderedMessages.makeGroups(tx.dsl(), missing));
    }
  }

  private int goOn() {
    List<TopicKeyId> groups =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                    .from(BY_STALLED)
                    .where(IS_STALLED)
                    .and(JooqGroups.others(QUEUE_ORDERING_GROUP.GROUP_ID, refused.delayed()))
                    .orderBy(QUEUE_ORDERING_GROUP.NEXT_AT)
                    .limit(MOST)
                    .fetch(row -> TopicKeyId.of(row.value1())));
    int gone =
        RefusedRows.sum(
            refused.change(
                groups,
                group -> group,
                some ->
                    transactions.run(
                        Transition.ADMIT, tx -> new JooqAdmitting(tx, next).goOn(some))));
    stalled |= gone > 0;
    return gone;
  }
}
