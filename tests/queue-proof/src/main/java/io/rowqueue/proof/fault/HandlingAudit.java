package io.rowqueue.proof.fault;

import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Judges what the journals say: handlings that overlap, happen again, exceed limits or are out of
 * order, and that no injected fault explains. Reads nothing and changes nothing.
 */
final class HandlingAudit {

  /** What operators are promised: so soon all workers honor a changed limit. */
  static final Duration LIMIT_HONORED_AFTER = Duration.ofSeconds(2);

  /** Short ones show that a bucket holds no more than it may, long ones how it is filled. */
  private static final List<Duration> WINDOWS =
      List.of(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(5));

  private static final long HANG_AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Facts facts;
  private final Journal journal;
  private final List<Injection> injections;
  private final List<String> findings = new ArrayList<>();
  private int lostOutside;
  private int againOutside;

  HandlingAudit(Facts facts, Journal journal, List<Injection> injections) {
    this.facts = facts;
    this.journal = journal;
    this.injections = new ArrayList<>(injections);
    // A handler that hangs or ends its process is a fault of its own.
    each((message, handling) -> ownFault(message, handling).ifPresent(this.injections::add));
    byMessage();
    facts.messages.forEach(this::happenedOutside);
    each(this::timeouts);
    each(this::cancellations);
    facts.attempts.forEach(this::countedAttempt);
    byKey(FaultTopics.ORDERED).values().forEach(this::oneOfAKey);
    byKey(FaultTopics.FORMER).values().forEach(this::oneOfAKey);
    byKey(FaultTopics.HELD).values().forEach(this::oneOfAKey);
    byKey(FaultTopics.HELD).values().forEach(this::inOrder);
    limits();
  }

  List<String> findings() {
    return List.copyOf(findings);
  }

  /** Messages that were acknowledged, and whose external effects never happened. */
  int lostOutside() {
    return lostOutside;
  }

  /** External effects that happened again, each explained by a fault. */
  int againOutside() {
    return againOutside;
  }

  private static Optional<Injection> ownFault(Message message, Handling handling) {
    String ending = message.ending;
    boolean hangs = ending.equals(Ending.HANG.name()) && handling.attempt() == 1;
    if (!hangs && !ending.equals(Ending.KILL.name())) {
      return Optional.empty();
    }
    long end = handling.end() == Long.MAX_VALUE ? handling.begin() : handling.end();
    return Optional.of(
        new Injection(
            ending, handling.begin(), end, end + HANG_AFTERMATH_NANOS, Set.of(handling.pid())));
  }

  private void each(BiConsumer<Message, Handling> judge) {
    journal
        .byMessage()
        .forEach(
            (id, all) -> {
              Message message = facts.messages.get(id);
              if (message != null) {
                all.forEach(handling -> judge.accept(message, handling));
              }
            });
  }

  private void byMessage() {
    journal
        .byMessage()
        .forEach(
            (id, all) -> {
              Message message = facts.messages.get(id);
              if (message == null) {
                findings.add("message " + id + " was never committed, and was handled");
              } else {
                overlaps(all);
                if (message.isOutside() && !message.ending.equals(Ending.HANG.name())) {
                  again(all);
                }
              }
            });
  }

  /** At no time two live claims. */
  private void overlaps(List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      Handling later = all.get(i);
      if (earlier.end() > later.begin() && !isExplained(earlier, later)) {
        findings.add("two at one time and no fault between: " + earlier + " and " + later);
      }
    }
  }

  /** Again only where the first time failed, or a fault prevented its acknowledgement. */
  private void again(List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      if (earlier.returned()) {
        againOutside++;
        if (!isExplained(earlier, all.get(i))) {
          findings.add("handled again and no fault between: " + earlier + " and " + all.get(i));
        }
      }
    }
  }

  /**
   * Whether the process with the older claim was hit before the newer one came to be: it may be the
   * one that begins later, if a fault stopped it between its claim and its handler.
   */
  private boolean isExplained(Handling earlier, Handling later) {
    long pid = earlier.claim() < later.claim() ? earlier.pid() : later.pid();
    return isHit(pid, earlier.begin(), later.begin());
  }

  private boolean isHit(long pid, long after, long before) {
    return injections.stream().anyMatch(each -> each.hit(pid, after, before));
  }

  private void happenedOutside(long id, Message message) {
    if (message.isOutside()
        && !facts.present.contains(id)
        && journal.byMessage().getOrDefault(id, List.of()).stream().noneMatch(Handling::returned)) {
      findings.add("message " + id + " was acknowledged, and its external effect never happened");
      lostOutside++;
    }
  }

  /** A handling that extended its timeout has the time: only a fault ends it earlier. */
  private void timeouts(Message message, Handling handling) {
    if (!message.topic.equals(FaultTopics.LONG)) {
      return;
    }
    long took = handling.end() - handling.begin();
    boolean hadItsTime =
        handling.returned() && took >= TimeUnit.MILLISECONDS.toNanos(FaultTopics.LONG_MILLIS);
    // By a connection that an earlier fault has left dead, such as a half-open one.
    boolean failedBefore = !handling.returned() && took < FaultTopics.LONG_TIMEOUT.toNanos();
    if (!hadItsTime
        && !failedBefore
        && !handling.cancelled()
        && !isHit(handling.pid(), handling.begin(), handling.end())) {
      findings.add("ended in the time that it was granted, and no fault between: " + handling);
    }
  }

  private void cancellations(Message message, Handling handling) {
    if (handling.cancelled() && !facts.cancelRequested.contains(handling.id())) {
      findings.add("cancelled without a request: " + handling);
    }
  }

  /** A counted attempt is one that began, and did not return. */
  private void countedAttempt(Attempt attempt) {
    List<Handling> ofClaim =
        journal.byMessage().getOrDefault(attempt.id, List.of()).stream()
            .filter(each -> each.claim() == attempt.claim)
            .toList();
    if (ofClaim.isEmpty() || ofClaim.get(ofClaim.size() - 1).returned()) {
      findings.add("an attempt was counted that did not fail: " + attempt);
    }
  }

  /** The handlings of each key of {@code topic}, in the order of their beginnings. */
  private Map<String, List<Handling>> byKey(String topic) {
    Map<String, List<Handling>> keys = new HashMap<>();
    each(
        (message, handling) -> {
          if (message.topic.equals(topic) && !message.key.isEmpty()) {
            keys.computeIfAbsent(message.key, key -> new ArrayList<>()).add(handling);
          }
        });
    keys.values().forEach(all -> all.sort(Comparator.comparingLong(Handling::begin)));
    return keys;
  }

  private List<Handling> of(String topic) {
    List<Handling> all = new ArrayList<>();
    each(
        (message, handling) -> {
          if (message.topic.equals(topic)) {
            all.add(handling);
          }
        });
    all.sort(Comparator.comparingLong(Handling::begin));
    return all;
  }

  /** Two messages of one ordering key are never handled at one time. */
  private void oneOfAKey(List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      Handling later = all.get(i);
      if (earlier.id() != later.id()
          && earlier.end() > later.begin()
          && !isHit(earlier.pid(), earlier.begin(), later.begin())) {
        findings.add("two of one ordering key at one time: " + earlier + " and " + later);
      }
    }
  }

  /**
   * A message that has begun is handled to its end before another of its key begins, be it retried,
   * released, lost, or redriven in between: no fault explains another order. Removed messages are
   * left out, and what a worker that was stopped begins of a claim that it has lost.
   */
  private void inOrder(List<Handling> all) {
    Map<Long, Integer> newest = new HashMap<>();
    List<Handling> current =
        all.stream()
            .filter(each -> !facts.removed.contains(each.id()))
            .filter(each -> newest.merge(each.id(), each.claim(), Math::max) == each.claim())
            .toList();
    Map<Long, Integer> last = new HashMap<>();
    for (int i = 0; i < current.size(); i++) {
      Integer before = last.put(current.get(i).id(), i);
      if (before != null && before < i - 1) {
        findings.add(
            "a blocked ordering key went on: %s, between %s and %s"
                .formatted(current.get(before + 1), current.get(before), current.get(i)));
      }
    }
  }

  private void limits() {
    List<Handling> limited = of(FaultTopics.LIMITED);
    atOnce(FaultTopics.MOST_LIMITED, limited, Long.MAX_VALUE, "");
    Map<String, List<Handling>> keyLimited = byKey(FaultTopics.KEY_LIMITED);
    keyLimited
        .values()
        .forEach(all -> atOnce(FaultTopics.MOST_KEY_LIMITED, all, Long.MAX_VALUE, ""));
    for (Limit limit : facts.limits) {
      if (limit.topic.equals(FaultTopics.LIMITED)) {
        changed(limit, limited, 0);
      } else {
        keyLimited.values().forEach(all -> changed(limit, all, FaultTopics.MOST_KEY_LIMITED));
      }
    }
    rate(FaultTopics.RATE, of(FaultTopics.RATED), HandlingAudit::drawn);
    byKey(FaultTopics.KEY_RATED)
        .values()
        .forEach(
            all -> {
              atOnce(FaultTopics.MOST_KEY_RATED, all, Long.MAX_VALUE, "");
              rate(
                  FaultTopics.KEY_RATE,
                  firstOfEachAttempt(all),
                  some -> FaultTopics.MOST_KEY_RATED);
            });
  }

  /**
   * No more than {@code most} run at one time, but for what a fault explains.
   *
   * @param since from when on a fault explains it, if that is before the handlings begin: a process
   *     that was hit may not know the limit
   */
  private void atOnce(int most, List<Handling> all, long since, String what) {
    List<Handling> running = new ArrayList<>();
    for (Handling next : all) {
      running.removeIf(earlier -> earlier.end() <= next.begin());
      long unexplained =
          running.stream()
              .filter(
                  earlier -> {
                    long after = Math.min(since, earlier.begin());
                    return !isHit(earlier.pid(), after, next.begin())
                        && !isHit(next.pid(), after, next.begin());
                  })
              .count();
      if (unexplained >= most) {
        findings.add(what + "more than may be at one time: " + running + " and " + next);
      }
      running.add(next);
    }
  }

  /**
   * Two seconds after a limit was changed no more run than it allows, of those that have begun
   * since; what had begun before may end.
   *
   * @param admitted how many may have been admitted under another limit before, and begin late
   *     behind a backlog; what comes behind so many was admitted under this one
   */
  private void changed(Limit limit, List<Handling> all, int admitted) {
    long from = limit.honoredFrom();
    if (injections.stream().anyMatch(each -> each.heldUpUntil(from))) {
      return;
    }
    Set<Long> before = new HashSet<>();
    List<Handling> begun =
        all.stream()
            .filter(each -> each.begin() >= from && each.begin() < limit.until)
            .filter(
                each ->
                    !before.contains(each.id())
                        && (before.size() >= admitted || !before.add(each.id())))
            .toList();
    atOnce(limit.most, begun, limit.since, limit + " was not honored: ");
  }

  /** What each process had drawn from the bucket before. */
  private static long drawn(List<Handling> begun) {
    return RateBuckets.burst(FaultTopics.RATE)
        * begun.stream().map(Handling::pid).distinct().count();
  }

  /** An attempt that was admitted once may be begun again by another claim, behind a fault. */
  private static List<Handling> firstOfEachAttempt(List<Handling> all) {
    Set<String> seen = new HashSet<>();
    return all.stream().filter(each -> seen.add(each.id() + " " + each.attempt())).toList();
  }

  /**
   * No more begin in a window than the bucket is filled with meanwhile, held before, and {@code
   * before} had been admitted. No fault explains more.
   */
  private void rate(int perSecond, List<Handling> all, ToLongFunction<List<Handling>> before) {
    for (Duration window : WINDOWS) {
      double filled = perSecond * (window.toNanos() / 1e9) + RateBuckets.burst(perSecond);
      int first = 0;
      for (int i = 0; i < all.size(); i++) {
        while (all.get(i).begin() - all.get(first).begin() > window.toNanos()) {
          first++;
        }
        List<Handling> begun = all.subList(first, i + 1);
        if (begun.size() > filled && begun.size() > filled + before.applyAsLong(begun)) {
          findings.add(
              "%d begun within %d ms: %s".formatted(begun.size(), window.toMillis(), all.get(i)));
        }
      }
    }
  }

  /** What the ledger and the queue say, once a run is over. */
  record Facts(
      Map<Long, Message> messages,
      Set<Long> present,
      Set<Long> removed,
      Set<Long> cancelRequested,
      List<Limit> limits,
      List<Attempt> attempts) {

    static Facts read(QueueDatabase database) {
      Map<Long, Message> messages = new HashMap<>();
      for (String[] row :
          rows(
              database,
              "SELECT CONCAT_WS(' ', message_id, topic, ending, COALESCE(ordering_key, ''))"
                  + " FROM enqueued")) {
        messages.put(Long.parseLong(row[0]), new Message(row[1], row[2], row[3]));
      }
      return new Facts(
          messages,
          ids(
              database,
              "SELECT id FROM queue_message UNION SELECT id FROM queue_dead_letter"
                  + " UNION SELECT message_id FROM removed"),
          ids(database, "SELECT message_id FROM removed"),
          ids(database, "SELECT message_id FROM cancel_requested"),
          rows(
                  database,
                  "SELECT CONCAT_WS(' ', topic, most, since, until) FROM limit_change WHERE until"
                      + " - since > %d ORDER BY seq".formatted(LIMIT_HONORED_AFTER.toNanos()))
              .stream()
              .map(
                  row ->
                      new Limit(
                          row[0],
                          Integer.parseInt(row[1]),
                          Long.parseLong(row[2]),
                          Long.parseLong(row[3])))
              .toList(),
          rows(database, ATTEMPTS).stream()
              .map(row -> new Attempt(Long.parseLong(row[0]), Integer.parseInt(row[1]), row[2]))
              .toList());
    }

    /**
     * Without those that return when their time is over or their transaction must be rolled back,
     * rows that no handler ever sees, and those that extend their timeout: where an ack fails for a
     * fault and all of it is done again, the time may be over before that has ended.
     */
    private static final String ATTEMPTS =
        """
        SELECT CONCAT_WS(' ', a.message_id, a.claim_number, a.error_class) FROM queue_attempt a
        JOIN enqueued e ON e.message_id = a.message_id
        WHERE e.ending NOT LIKE 'SWALLOW%' AND e.ending NOT IN ('HANG', 'ODD')
          AND e.topic <> 'fault.long'
        """;

    private static List<String[]> rows(QueueDatabase database, String query) {
      return database.strings(query).stream().map(row -> row.split(" ", -1)).toList();
    }

    private static Set<Long> ids(QueueDatabase database, String query) {
      return database.strings(query).stream().map(Long::valueOf).collect(Collectors.toSet());
    }
  }

  /** A message that was committed. */
  record Message(String topic, String ending, String key) {
    private boolean isOutside() {
      return topic.equals(FaultTopics.OUTSIDE);
    }
  }

  /**
   * A limit that was left as it is for longer than it takes until all honor it.
   *
   * @param since {@link System#nanoTime} when the call that set it had returned
   * @param until the same before the next call
   */
  record Limit(String topic, int most, long since, long until) {
    private long honoredFrom() {
      return since + LIMIT_HONORED_AFTER.toNanos();
    }
  }

  /** An attempt that the queue has counted as failed. */
  record Attempt(long id, int claim, String error) {}
}
