package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jooq.Query;
import org.jooq.impl.DSL;

/**
 * {@code SELECT ... FOR UPDATE SKIP LOCKED} by primary key, then an update of the locked rows: the
 * default.
 *
 * <p>One statement that reads by the claim key and locks would save a round trip. But it also locks
 * drained rows that are not purged yet, in an order that may differ between two claims. MariaDB
 * 11.4 and later queue for a lock for a moment before they skip it, so two such claims deadlocked.
 */
public final class JooqSkipLocked implements ClaimQuery {

  private static final Comparator<ClaimableRow> CLAIM_ORDER =
      Comparator.comparingInt(ClaimableRow::priority).thenComparingLong(ClaimableRow::id);

  /** Placeholder for a bound topic. */
  private static final Topic ANY = new Topic("any");

  private final RenderedStatement lock;
  private final RenderedStatement own;

  /** For servers of {@code dialect}. */
  public JooqSkipLocked(ServerDialect dialect) {
    this.lock = new RenderedStatement(dialect, JooqSkipLocked::lock);
    this.own = new RenderedStatement(dialect, JooqSkipLocked::own);
  }

  /** Rows that it locks and does not claim are unlocked by the COMMIT. */
  @Override
  public boolean chooses() {
    return true;
  }

  @Override
  public List<Claim> take(Transaction transaction, ClaimRequest request, List<Candidate> offered)
      throws SQLException {
    Connection connection = transaction.connection();
    List<ClaimableRow> locked = lock(connection, request, offered);
    List<ClaimableRow> kept = Selection.of(request, locked, ClaimableRow::lost).kept();
    if (!kept.isEmpty()) {
      own(connection, request, kept);
    }
    return kept.stream().map(row -> JooqTaken.beforeUpdate(request, row)).toList();
  }

  private List<ClaimableRow> lock(
      Connection connection, ClaimRequest request, List<Candidate> offered) throws SQLException {
    List<Long> ids = offered.stream().map(Candidate::id).sorted().toList();
    try (PreparedStatement statement = lock.prepareForIds(connection, ids.size())) {
      int next = RenderedStatement.bind(statement, 1, ids);
      statement.setString(next, request.topic().name());
      try (ResultSet rows = statement.executeQuery()) {
        return JooqRows.read(rows).stream().sorted(CLAIM_ORDER).toList();
      }
    }
  }

  private static Query lock(int ids) {
    return DSL.select(JooqRows.COLUMNS)
        .from(JooqMessages.BY_PRIMARY_KEY)
        .where(JooqTaken.stillAvailable(ANY, Collections.nCopies(ids, 0L)))
        .forUpdate()
        .skipLocked();
  }

  private void own(Connection connection, ClaimRequest request, List<ClaimableRow> rows)
      throws SQLException {
    List<Long> ids = rows.stream().map(ClaimableRow::id).sorted().toList();
    try (PreparedStatement statement = own.prepareForIds(connection, ids.size())) {
      statement.setString(1, request.lockId().value());
      RenderedStatement.bind(statement, 2, ids);
      statement.executeUpdate();
    }
  }

  private static Query own(int ids) {
    return JooqTaken.own(DSL.update(JooqMessages.BY_PRIMARY_KEY), "")
        .set(QUEUE_MESSAGE.HANDLER_STARTED, DSL.inline((byte) 0))
        .where(QUEUE_MESSAGE.ID.in(Collections.nCopies(ids, 0L)));
  }
}
