package io.rowqueue.internal.archive;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.operate.TopicSettingsCache;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jooq.CaseWhenStep;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Select;
import org.jooq.impl.DSL;

public final class ArchiveWriter {

  /** The server compares each id with all of a statement. */
  private static final int AT_ONCE = 128;

  private final TopicSettingsCache settings;
  private final RenderedStatement copy;

  public ArchiveWriter(ServerDialect dialect, TopicSettingsCache settings) {
    this.settings = settings;
    this.copy = new RenderedStatement(dialect, ArchiveWriter::copy);
  }

  /**
   * Copies the messages of {@code claims} whose topics have a retention and that are still held;
   * their rows are then locked, and the caller deletes them in the same transaction. Sends nothing
   * for other topics.
   *
   * @param claims of one worker and with one claim number
   */
  public void keep(Transaction transaction, List<Claim> claims) throws SQLException {
    List<Claim> kept =
        claims.stream()
            .filter(claim -> settings.isKept(claim.topic()))
            .sorted(Comparator.comparing(Claim::id))
            .toList();
    for (int from = 0; from < kept.size(); from += AT_ONCE) {
      copy(transaction, kept.subList(from, Math.min(kept.size(), from + AT_ONCE)));
    }
  }

  private void copy(Transaction transaction, List<Claim> kept) throws SQLException {
    try (PreparedStatement statement = copy.prepareForIds(transaction.connection(), kept.size())) {
      int next = 1;
      for (Claim claim : RenderedStatement.padded(kept)) {
        statement.setLong(next++, claim.id().value());
        statement.setLong(next++, claim.handled().nanos() / 1_000);
      }
      List<Long> ids = kept.stream().map(claim -> claim.id().value()).toList();
      next = RenderedStatement.bind(statement, next, ids);
      statement.setString(next, kept.get(0).lockId().value());
      statement.setInt(next + 1, kept.get(0).number());
      statement.executeUpdate();
    }
  }

  private static Query copy(int ids) {
    return DSL.insertInto(QUEUE_ARCHIVE)
        .columns(
            List.of(
                QUEUE_ARCHIVE.ID,
                QUEUE_ARCHIVE.SETTLED_DAY,
                QUEUE_ARCHIVE.TOPIC,
                QUEUE_ARCHIVE.PRIORITY,
                QUEUE_ARCHIVE.CLAIM_NUMBER,
                QUEUE_ARCHIVE.ATTEMPTS,
                QUEUE_ARCHIVE.LOST_CLAIMS,
                QUEUE_ARCHIVE.WORKER,
                QUEUE_ARCHIVE.DUE_AT,
                QUEUE_ARCHIVE.CREATED_AT,
                QUEUE_ARCHIVE.SETTLED_AT,
                QUEUE_ARCHIVE.HANDLING_MICROS,
                QUEUE_ARCHIVE.HEADERS,
                QUEUE_ARCHIVE.PAYLOAD,
                QUEUE_ARCHIVE.ORDERING_KEY,
                QUEUE_ARCHIVE.BATCH_ID))
        .select(held(ids));
  }

  private static Field<Long> handlingMicros(int ids) {
    CaseWhenStep<Long, Long> micros = DSL.choose(QUEUE_MESSAGE.ID).when(0L, 0L);
    for (int i = 1; i < ids; i++) {
      micros = micros.when(0L, 0L);
    }
    return micros;
  }

  /**
   * Locking: otherwise a reap could run between the copy and the fenced delete, which would then
   * find no row and leave a copy of a message that still exists.
   */
  private static Select<?> held(int ids) {
    return DSL.select(
            QUEUE_MESSAGE.ID,
            JooqArchive.TODAY,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.ATTEMPTS,
            QUEUE_MESSAGE.LOST_CLAIMS,
            QUEUE_MESSAGE.LOCK_ID,
            QUEUE_MESSAGE.DUE_AT,
            QUEUE_MESSAGE.CREATED_AT,
            DatabaseClock.now(),
            handlingMicros(ids),
            QUEUE_MESSAGE.HEADERS,
            QUEUE_MESSAGE.PAYLOAD,
            QUEUE_MESSAGE.ORDERING_KEY,
            QUEUE_MESSAGE.BATCH_ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(Collections.nCopies(ids, 0L)))
        .and(QUEUE_MESSAGE.LOCK_ID.eq(""))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(0))
        .forUpdate();
  }
}
