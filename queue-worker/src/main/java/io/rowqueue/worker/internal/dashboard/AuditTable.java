package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.text.FailureText;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The audit table, as the dashboard writes and shows it. Thread-safe. */
@Singleton
class AuditTable {

  private static final Logger LOG = LoggerFactory.getLogger(AuditTable.class);

  private static final int PAGE = 100;

  private static final int MOST_OF_ONE = 100;

  private static final int MOST_OF_TOPIC = 10;

  private final DashboardPool pool;
  private final ShownQueue queue;

  @Inject
  AuditTable(DashboardPool pool, ShownQueue queue) {
    this.pool = pool;
    this.queue = queue;
  }

  /** Returns the name of its queue; null if it is the only one. */
  @Nullable String queue() {
    return queue.name();
  }

  /** Writes an entry. The change has been made, so a failure is logged and not thrown. */
  void write(JooqAudit.Entry entry) {
    try {
      new JooqAudit(pool.transactions()).write(entry);
    } catch (QueueException e) {
      LOG.warn(
          "a change of {} is missing in queue_audit, and only in the log: {}",
          Texts.visible(entry.actor()),
          FailureText.of(e));
    }
  }

  /** An entry, for people; {@code name} is the action's in the log. */
  record Line(
      Texts.Moment at, String who, String name, String action, String target, String result) {}

  /** Returns values for the templates of the entries that a form asks for, the newest first. */
  Map<String, Object> search(Params query) {
    JooqAudit.Filter filter =
        new JooqAudit.Filter(
            query.text("target"), query.text("user"), query.text("action"), null, null);
    long from = query.number("before", Long.MAX_VALUE, Long.MAX_VALUE);
    Optional<JooqAudit.Found> found =
        read(audit -> audit.find(filter, from, PAGE, SearchStep.PAGE_TIME));
    Long before = found.map(JooqAudit.Found::before).orElse(null);
    List<JooqAudit.Written> entries = found.map(JooqAudit.Found::entries).orElse(List.of());
    Map<String, Object> model = new HashMap<>();
    model.put("the-target", filter.target());
    model.put("the-user", filter.by());
    model.put("the-action", filter.action());
    model.put("searched", from != Long.MAX_VALUE || !filter.equals(JooqAudit.Filter.ANY));
    model.put("entries", entries.stream().map(AuditTable::line).toList());
    model.put("unreadable", found.isEmpty());
    model.put("noEntries", found.isPresent() && entries.isEmpty() && before == null);
    model.put("soFar", before != null && entries.size() < PAGE);
    model.put("next", before == null ? null : next(filter, before));
    return model;
  }

  private static String next(JooqAudit.Filter filter, long before) {
    return "target=%s&user=%s&action=%s&before=%d"
        .formatted(
            OverviewPages.encoded(filter.target()),
            OverviewPages.encoded(filter.by()),
            OverviewPages.encoded(filter.action()),
            before);
  }

  /** Returns the last changes of a topic, the newest first; none if they cannot be read. */
  List<Line> ofTopic(String topic) {
    return read(audit -> audit.ofTopic(topic, MOST_OF_TOPIC)).orElse(List.of()).stream()
        .map(AuditTable::line)
        .toList();
  }

  /** Returns the changes of one message, the newest first; none if they cannot be read. */
  List<JooqAudit.Written> of(MessageId id, Instant since) {
    return read(audit -> audit.of(id, since, MOST_OF_ONE)).orElse(List.of());
  }

  /** Returns what {@code read} returns; nothing if the account lacks the privilege. */
  private <T> Optional<T> read(Function<JooqAudit, T> read) {
    try {
      return Optional.of(read.apply(new JooqAudit(pool.transactions())));
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  static Line line(JooqAudit.Written row) {
    JooqAudit.Entry entry = row.entry();
    String name = Texts.visible(entry.action());
    return new Line(
        Texts.Moment.of(row.at()),
        Texts.visible(new Actor(entry.actor(), entry.origin()).text()),
        name,
        Texts.action(name),
        Texts.visible(entry.target()),
        Texts.visible(entry.result()));
  }
}
