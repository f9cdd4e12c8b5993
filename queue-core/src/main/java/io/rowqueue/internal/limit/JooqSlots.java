package io.rowqueue.internal.limit;

import static io.rowqueue.internal.table.Tables.QUEUE_SLOT;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.InsertValuesStep2;
import org.jooq.Table;

/**
 * Every transaction writes nothing but slots, locks them by primary key in ascending order, and
 * holds the locks no longer than its COMMIT takes.
 */
final class JooqSlots implements TopicSlots {

  private static final byte ALIVE = 1;

  /** Without the hint MariaDB scans a small table completely, and waits for unrelated rows. */
  private static final Table<?> BY_PRIMARY_KEY = QUEUE_SLOT.forceIndex("PRIMARY");

  private final Transactions transactions;

  JooqSlots(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public SlotTable read(Topic topic) {
    return transactions.read(
        dsl ->
            new SlotTable(
                dsl.select(QUEUE_SLOT.SLOT, QUEUE_SLOT.LOCK_ID)
                    .from(BY_PRIMARY_KEY)
                    .where(QUEUE_SLOT.TOPIC.eq(topic.name()))
                    .fetchMap(row -> row.value1().intValue(), row -> row.value2())));
  }

  /** Separate from taking slots, since an insert that finds its row may wait for it. */
  @Override
  public int make(Topic topic, Collection<Integer> slots) {
    if (slots.isEmpty()) {
      return 0;
    }
    return transactions.run(Transition.MAKE_SLOTS, tx -> insert(tx.dsl(), topic, sorted(slots)));
  }

  private static int insert(DSLContext dsl, Topic topic, List<Short> slots) {
    InsertValuesStep2<?, String, Short> insert =
        dsl.insertInto(QUEUE_SLOT, QUEUE_SLOT.TOPIC, QUEUE_SLOT.SLOT);
    for (Short slot : slots) {
      insert = insert.values(topic.name(), slot);
    }
    return insert.onDuplicateKeyIgnore().execute();
  }

  @Override
  public Set<Integer> take(Topic topic, LockId worker, Collection<Integer> slots) {
    if (slots.isEmpty()) {
      return Set.of();
    }
    return transactions.run(
        Transition.TAKE_SLOTS, tx -> take(tx.dsl(), topic, worker, sorted(slots)));
  }

  private static Set<Integer> take(DSLContext dsl, Topic topic, LockId worker, List<Short> slots) {
    List<Short> free =
        dsl.select(QUEUE_SLOT.SLOT)
            .from(BY_PRIMARY_KEY)
            .where(among(topic, slots))
            .and(QUEUE_SLOT.LOCK_ID.eq(SlotTable.FREE))
            .forUpdate()
            .skipLocked()
            .fetch(QUEUE_SLOT.SLOT);
    if (!free.isEmpty()) {
      dsl.update(BY_PRIMARY_KEY)
          .set(QUEUE_SLOT.LOCK_ID, worker.value())
          .set(QUEUE_SLOT.TAKEN_AT, DatabaseClock.now())
          .where(among(topic, free))
          .execute();
    }
    Set<Integer> taken = new TreeSet<>();
    free.forEach(slot -> taken.add(slot.intValue()));
    return taken;
  }

  @Override
  public int release(Topic topic, LockId worker, Collection<Integer> slots) {
    if (slots.isEmpty()) {
      return 0;
    }
    return transactions.run(
        Transition.RELEASE_SLOTS, tx -> release(tx.dsl(), topic, worker.value(), sorted(slots)));
  }

  /** A slot that another worker has taken since is not changed. */
  private static int release(DSLContext dsl, Topic topic, String lockId, List<Short> slots) {
    return dsl.update(BY_PRIMARY_KEY)
        .set(QUEUE_SLOT.LOCK_ID, SlotTable.FREE)
        .set(QUEUE_SLOT.TAKEN_AT, (Instant) null)
        .where(among(topic, slots))
        .and(QUEUE_SLOT.LOCK_ID.eq(lockId))
        .execute();
  }

  @Override
  public void want(Topic topic) {
    transactions.run(
        Transition.WANT_SLOTS,
        tx ->
            tx.dsl()
                .update(QUEUE_TOPIC)
                .set(QUEUE_TOPIC.STARVED_AT, DatabaseClock.now())
                .where(QUEUE_TOPIC.TOPIC.eq(topic.name()))
                .execute());
  }

  /** The holders are read without locks, and checked again under the lock. */
  @Override
  public int freeThoseOfTheDead(Topic topic) {
    Map<String, List<Short>> held =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_SLOT.LOCK_ID, QUEUE_SLOT.SLOT)
                    .from(BY_PRIMARY_KEY)
                    .leftJoin(QUEUE_WORKER)
                    .on(QUEUE_WORKER.LOCK_ID.eq(QUEUE_SLOT.LOCK_ID))
                    .and(QUEUE_WORKER.IS_ALIVE.eq(ALIVE))
                    .where(QUEUE_SLOT.TOPIC.eq(topic.name()))
                    .and(QUEUE_SLOT.LOCK_ID.ne(SlotTable.FREE))
                    .and(QUEUE_WORKER.LOCK_ID.isNull())
                    .fetchGroups(QUEUE_SLOT.LOCK_ID, QUEUE_SLOT.SLOT));
    return IndependentParts.sum(
        held.entrySet(),
        dead -> {
          List<Short> slots = dead.getValue().stream().sorted().toList();
          return transactions.run(
              Transition.FREE_SLOTS, tx -> release(tx.dsl(), topic, dead.getKey(), slots));
        });
  }

  private static Condition among(Topic topic, List<Short> slots) {
    return QUEUE_SLOT.TOPIC.eq(topic.name()).and(QUEUE_SLOT.SLOT.in(slots));
  }

  /** So that all statements lock their rows in one order. */
  private static List<Short> sorted(Collection<Integer> slots) {
    return slots.stream().sorted().map(Integer::shortValue).toList();
  }
}
