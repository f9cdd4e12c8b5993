package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Holds books, journals and strikes against each other once a run is over. */
final class Audit {

  private final QueueDatabase database;
  private final Ledger ledger;
  private final Journal journal;
  private final List<Strike> strikes;
  private final List<String> findings = new ArrayList<>();
  private int lost;
  private int doubled;
  private int handledAgainOutside;

  private Audit(QueueDatabase database, Ledger ledger, Journal journal, List<Strike> strikes) {
    this.database = database;
    this.ledger = ledger;
    this.journal = journal;
    this.strikes = strikes;
  }

  static Audit of(QueueDatabase database, Ledger ledger, Journal journal, List<Strike> strikes) {
    Audit audit = new Audit(database, ledger, journal, strikes);
    audit.books();
    audit.handlings();
    audit.attempts();
    return audit;
  }

  /** Promises that were broken; empty if none. */
  List<String> findings() {
    return List.copyOf(findings);
  }

  /** Messages that are nowhere. */
  int lost() {
    return lost;
  }

  /** Transactional effects that happened twice, or apart from their message's deletion. */
  int doubled() {
    return doubled;
  }

  /** External effects that happened again, each explained by a fault. */
  int handledAgainOutside() {
    return handledAgainOutside;
  }

  private void books() {
    lost = found(ledger.lost());
    doubled = found(ledger.doubled());
    found(ledger.strangers());
    found(ledger.strayAttempts());
    found(ledger.touched());
  }

  private int found(List<String> more) {
    findings.addAll(more);
    return more.size();
  }

  private void handlings() {
    Map<Long, Booked> booked = Booked.all(database);
    journal
        .byMessage()
        .forEach(
            (id, all) -> {
              Booked message = booked.get(id);
              if (message == null) {
                findings.add("message " + id + " was never committed, and ran");
              } else {
                overlaps(all);
                if (message.isOutside() && !message.isHanging()) {
                  outside(all);
                }
              }
            });
    booked.forEach(this::happenedOutside);
    findings.addAll(LineAudit.findings(booked, journal, strikes, ids("removed")));
    findings.addAll(LimitAudit.findings(booked, journal, strikes));
    findings.addAll(HeededAudit.findings(booked, journal, strikes, Limit.all(database)));
    longOnes(booked);
    heeded();
  }

  private Set<Long> ids(String table) {
    return database.strings("SELECT message_id FROM " + table).stream()
        .map(Long::valueOf)
        .collect(Collectors.toSet());
  }

  /** Whoever extended its timeout has the time: it is stopped by nothing but a fault. */
  private void longOnes(Map<Long, Booked> booked) {
    journal
        .byMessage()
        .forEach(
            (id, all) -> {
              Booked message = booked.get(id);
              if (message != null && message.topic().equals(Deed.LONG)) {
                all.stream().filter(this::wasStopped).forEach(this::stopped);
              }
            });
  }

  /** Nobody gives up what nobody asked him to. */
  private void heeded() {
    Set<Long> asked = ids("asked");
    journal.byMessage().values().stream()
        .flatMap(List::stream)
        .filter(each -> each.cancelled() && !asked.contains(each.id()))
        .forEach(each -> findings.add("cancelled, and nobody asked for it: " + each));
  }

  private boolean wasStopped(Handling handling) {
    long took = handling.end() - handling.begin();
    boolean hadItsTime =
        handling.returned() && took >= TimeUnit.MILLISECONDS.toNanos(Deed.LONG_MILLIS);
    // By a connection that a fault long before it has left dead, such as a half-open one.
    boolean failedBefore = !handling.returned() && took < Deed.LONG_TIMEOUT.toNanos();
    boolean isExplained =
        strikes.stream()
            .anyMatch(strike -> strike.hit(handling.pid(), handling.begin(), handling.end()));
    return !hadItsTime && !failedBefore && !isExplained && !handling.cancelled();
  }

  private void stopped(Handling handling) {
    findings.add("stopped in the time that it was granted, and no fault between: " + handling);
  }

  /** At no time two live claims: who is still at work when the next begins was hit by a fault. */
  private void overlaps(List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      Handling later = all.get(i);
      boolean overlap = earlier.end() > later.begin();
      if (overlap && !isExplained(earlier, later)) {
        findings.add("two at one time and no fault between: " + earlier + " and " + later);
      }
    }
  }

  /** Again only where the first time failed, or a fault kept its acknowledgement from the queue. */
  private void outside(List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      if (earlier.returned()) {
        handledAgainOutside++;
        if (!isExplained(earlier, all.get(i))) {
          findings.add("handled again and no fault between: " + earlier + " and " + all.get(i));
        }
      }
    }
  }

  /**
   * Whose claim was the earlier one was hit before the other claim came to be: it may be who begins
   * later, if a fault made it stand still between its claim and its handler.
   */
  private boolean isExplained(Handling earlier, Handling later) {
    long pid = earlier.claim() < later.claim() ? earlier.pid() : later.pid();
    return strikes.stream().anyMatch(strike -> strike.hit(pid, earlier.begin(), later.begin()));
  }

  private void happenedOutside(long id, Booked message) {
    boolean returned =
        journal.byMessage().getOrDefault(id, List.of()).stream().anyMatch(Handling::returned);
    if (message.isOutside() && !returned && !isStillThere(id)) {
      findings.add("message " + id + " was acknowledged, and its external effect never happened");
      lost++;
    }
  }

  private boolean isStillThere(long id) {
    return database.count(
            "SELECT (SELECT COUNT(*) FROM queue_message WHERE id = %1$d) + (SELECT COUNT(*) FROM"
                    .formatted(id)
                + " queue_dead_letter WHERE id = %1$d) + (SELECT COUNT(*) FROM removed WHERE"
                    .formatted(id)
                + " message_id = %1$d)".formatted(id))
        > 0;
  }

  /**
   * A counted attempt is one that began, and that did not end well; but for those that return when
   * their time is over or their transaction doomed, and rows that no handler ever sees. And for
   * those that extend their timeout: where an ack fails for a fault and all of it is done again,
   * the time may be over before that has ended.
   */
  private void attempts() {
    List<String> counted =
        database.strings(
            """
            SELECT CONCAT(a.message_id, ' ', a.claims, ' ', a.error_class) FROM (
              SELECT message_id, claims, error_class FROM queue_attempt
              UNION ALL SELECT message_id, claims, error_class FROM queue_dead_letter_attempt) a
            JOIN enqueued e ON e.message_id = a.message_id
            WHERE e.what NOT LIKE 'SWALLOW%%' AND e.what NOT IN ('HANG', 'ODD')
              AND e.topic <> '%s'
            """
                .formatted(Deed.LONG));
    for (String row : counted) {
      String[] words = row.split(" ", 3);
      if (!failed(Long.parseLong(words[0]), Integer.parseInt(words[1]))) {
        findings.add("an attempt was counted that did not fail: message and claim " + row);
      }
    }
  }

  private boolean failed(long id, int claim) {
    List<Handling> all = journal.byMessage().getOrDefault(id, List.of());
    List<Handling> ofClaim = all.stream().filter(each -> each.claim() == claim).toList();
    return !ofClaim.isEmpty() && !ofClaim.get(ofClaim.size() - 1).returned();
  }
}
