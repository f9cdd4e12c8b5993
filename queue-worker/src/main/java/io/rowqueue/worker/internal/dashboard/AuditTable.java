package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.text.FailureText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The audit table, as the dashboard writes and shows it. Thread-safe. */
@Singleton
class AuditTable {

  private static final Logger LOG = LoggerFactory.getLogger(AuditTable.class);

  private static final int MOST_OF_ONE = 100;

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

  /** Returns values for the template {@code audit}: the last {@code limit} entries. */
  Map<String, Object> last(int limit) {
    try {
      List<Line> lines =
          new JooqAudit(pool.transactions()).list(limit).stream().map(AuditTable::line).toList();
      return Map.of("entries", lines, "noEntries", lines.isEmpty(), "unreadable", false);
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return Map.of("entries", List.of(), "noEntries", false, "unreadable", true);
    }
  }

  /** Returns the changes of one message, the newest first; none if they cannot be read. */
  List<JooqAudit.Written> of(MessageId id, Instant since) {
    try {
      return new JooqAudit(pool.transactions()).of(id, since, MOST_OF_ONE);
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return List.of();
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
