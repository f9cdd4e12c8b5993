package io.rowqueue.proof.fault;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.proof.fault.DeduplicationLedger.Answer;
import io.rowqueue.proof.fault.DeduplicationLedger.Keying;
import io.rowqueue.proof.fault.plugin.Keyed;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Offers messages under few keys again and again, and now and then under a new one, beside another
 * who does the same, in transactions that take a moment, and that are rolled back now and then.
 * Confined to one thread.
 *
 * <p>There are two of them, and no third: of several who wait for a new key whose first producer
 * rolls back, two meet a deadlock (docs/decisions/deduplication.md). It harms nobody, and would
 * hide others; so would that of two in snapshots who confirm what is gone. So one alone has
 * snapshots where keys are held while messages wait, and offers under one key then.
 */
final class Repeater {

  private static final int ONE_ROLLED_BACK_IN = 8;
  private static final int ONE_NEW_IN = 4;

  private final String url;
  private final Supplier<OptionalLong> meetings;
  private final boolean waitsInSnapshots;
  private final RandomGenerator random;
  private final MessageProducer queue = MessageProducer.create();

  /**
   * One that offers nothing yet.
   *
   * @param meetings gives numbers of new keys, each of which somebody else may have got, too
   * @param waitsInSnapshots whether it offers in REPEATABLE READ where keys are held while messages
   *     wait; where they are held while messages live, everybody does
   */
  Repeater(
      String url,
      Supplier<OptionalLong> meetings,
      boolean waitsInSnapshots,
      RandomGenerator random) {
    this.url = url;
    this.meetings = meetings;
    this.waitsInSnapshots = waitsInSnapshots;
    this.random = random;
  }

  /** Offers some messages of one topic, in one call: two would take their keys in no one order. */
  void offer() throws SQLException {
    OptionalLong number = random.nextInt(ONE_NEW_IN) == 0 ? meetings.get() : OptionalLong.empty();
    if (number.isPresent()) {
      offerNew(number.getAsLong());
    } else {
      String topic = Keyed.TOPICS.get(random.nextInt(Keyed.TOPICS.size()));
      offer(topic, some(topic));
    }
  }

  /** Both who have met take one topic, and one key of it. */
  private void offerNew(long number) throws SQLException {
    // They have used up two numbers.
    String topic = Keyed.TOPICS.get((int) (number / 2 % Keyed.TOPICS.size()));
    List<String> keys = new ArrayList<>(random.nextBoolean() ? some(topic) : List.of());
    keys.add(DeduplicationLedger.newKey(topic, number));
    offer(topic, keys);
  }

  private List<String> some(String topic) {
    return DeduplicationLedger.keys(topic).stream().filter(key -> random.nextBoolean()).toList();
  }

  private void offer(String topic, List<String> keys) throws SQLException {
    boolean lives = Keyed.LIVING.contains(topic);
    boolean inSnapshot = random.nextBoolean() && (lives || waitsInSnapshots);
    List<String> mine =
        inSnapshot && !lives ? keys.subList(Math.max(0, keys.size() - 1), keys.size()) : keys;
    List<Keying> keyings = keyings(topic, mine);
    try (KeyedCall call = KeyedCall.open(url, inSnapshot, keyings)) {
      call.begin();
      call.offer(queue, random);
      if (random.nextInt(ONE_ROLLED_BACK_IN) > 0) {
        call.commit();
      }
    }
  }

  /**
   * What is broken, once the faults are over and the queue is empty: nothing holds a key then. What
   * it offers is to be handled.
   */
  List<String> findings() throws SQLException {
    List<String> findings = new ArrayList<>();
    for (String topic : Keyed.TOPICS) {
      List<Keying> keyings = keyings(topic, DeduplicationLedger.keys(topic));
      try (KeyedCall call = KeyedCall.open(url, false, keyings)) {
        call.begin();
        call.offer(queue, random);
        for (Answer answer : call.answers()) {
          if (!answer.outcome().equals(Offer.Outcome.INSERTED.name())) {
            findings.add(
                "the queue is empty, and %d holds a key of %s".formatted(answer.id(), topic));
          }
        }
        call.commit();
      }
    }
    return findings;
  }

  private List<Keying> keyings(String topic, List<String> keys) {
    return keys.stream()
        .map(key -> new Keying(topic, key, random.nextLong(Long.MAX_VALUE)))
        .toList();
  }
}
