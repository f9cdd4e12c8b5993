package io.rowqueue.internal.order;

import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LowWaters;
import io.rowqueue.internal.claim.Offers;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** Lets the next of a line go, in the transaction that ends its head. Thread-safe. */
public final class NextInLine {

  private final LowWaters lowWaters;
  private final Offers offers;
  private final JooqOneHead oneHead;
  private final LineAlarm alarm = new LineAlarm();

  /**
   * On servers of {@code dialect}, for messages that are claimed above {@code lowWaters}, or as
   * {@code offers}.
   */
  public NextInLine(SQLDialect dialect, LowWaters lowWaters, Offers offers) {
    this.oneHead = new JooqOneHead(dialect);
    this.lowWaters = lowWaters;
    this.offers = offers;
  }

  /**
   * Behind the fence, as the transaction's last writes: none of {@code ended} is in the queue any
   * more. Those without an ordering key are passed over.
   */
  public void letGo(Transaction transaction, Collection<Claim> ended) throws SQLException {
    Map<TopicKeyId, List<Long>> lines = new TreeMap<>();
    for (Claim claim : ended) {
      String key = claim.orderingKey();
      if (key != null) {
        lines
            .computeIfAbsent(TopicKeyId.of(claim.topic().name(), key), line -> new ArrayList<>())
            .add(claim.id().value());
      }
    }
    if (lines.size() == 1) {
      Map.Entry<TopicKeyId, List<Long>> one = lines.entrySet().iterator().next();
      letGo(transaction, one.getKey(), one.getValue());
    } else if (!lines.isEmpty()) {
      letGo(transaction, lines);
    }
  }

  private void letGo(Transaction transaction, TopicKeyId line, List<Long> ended)
      throws SQLException {
    JooqOneHead.Row row = oneHead.lock(transaction.connection(), line);
    if (row == null) {
      return;
    }
    if (!row.isPlain()) {
      letGo(transaction, Map.of(line, ended));
    } else if (row.messageId() != null && ended.contains(row.messageId())) {
      Freed freed = oneHead.letGo(transaction.connection(), line, row);
      offer(transaction, freed == null ? List.of() : List.of(freed));
    }
  }

  private void letGo(Transaction transaction, Map<TopicKeyId, List<Long>> ended) {
    DSLContext dsl = transaction.dsl();
    List<JooqHeads.Place> beside = new ArrayList<>();
    List<Head> left = new ArrayList<>();
    for (Head head : JooqHeads.lock(dsl, ended.keySet())) {
      List<Long> mine =
          ended.getOrDefault(head.line(), List.of()).stream().filter(head::names).toList();
      mine.stream()
          .filter(head.others()::contains)
          .forEach(id -> beside.add(new JooqHeads.Place(head.line(), id)));
      if (!mine.isEmpty()) {
        left.add(head.without(mine));
      }
    }
    JooqRunning.delete(dsl, beside);
    letGo(transaction, left);
  }

  /** Lets those of locked lines go for which there is room. */
  JooqHeads.Released letGo(Transaction transaction, List<Head> heads) {
    JooqHeads.Released released = JooqHeads.letGo(transaction.dsl(), heads);
    offer(transaction, released.freed());
    released.lines().stream()
        .filter(line -> line.first() != null && !line.isBlocked())
        .forEach(line -> alarm.set(line.nextAt(), line.now()));
    return released;
  }

  /**
   * The message of {@code claim} waits for a time. Where several of its line may be handled at
   * once, it makes room for another, and comes again when it is due.
   */
  public void waits(Transaction transaction, Claim claim) throws SQLException {
    if (claim.orderingKey() != null
        && JooqLimits.hasRoom(transaction.dsl(), claim.topic().name())) {
      letGo(transaction, List.of(claim));
    }
  }

  /** When lines that this process has let go may go on. */
  LineAlarm alarm() {
    return alarm;
  }

  /** They have low ids, and somebody shall claim them at once. */
  void offer(Transaction transaction, List<Freed> freed) {
    for (Freed one : freed) {
      transaction.pendingRing().noteFreed(one.topic(), () -> offer(one));
    }
  }

  private void offer(Freed freed) {
    Candidate candidate = freed.candidate();
    lowWaters.appeared(freed.topic(), candidate.priority(), candidate.id());
    offers.offer(freed.topic(), candidate);
  }
}
