package io.rowqueue.internal.body;

import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.util.Collection;
import java.util.List;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Decides by one statement's snapshot: a payload without a message and without a dead letter has no
 * owner any more. The reasons: a payload and its message become visible together, dead-lettering
 * and redriving move a message in one transaction, and ids are not reused.
 */
public final class JooqBodySweep implements BodySweep {

  /** 4 MiB per transaction, to limit the load on the binlog and on a cluster. */
  private static final int CHUNKS = 16;

  private final Transactions transactions;
  private final RefusedRows<Long> refused = Pruning.rows("the deletion of the payload of");

  public JooqBodySweep(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public int sweep(Collection<MessageId> ids) {
    return delete(gone(ids.stream().map(MessageId::value).sorted().toList()));
  }

  private int delete(List<Long> ids) {
    return (int)
        refused.changeEach(refused.others(ids, id -> id), id -> id, this::delete).stream()
            .filter(n -> n > 0)
            .count();
  }

  @Override
  public int sweepAll(int batch) {
    return IndependentParts.<Long>sumOfPages(
        batch, last -> bodies(last, batch), ids -> delete(gone(ids)));
  }

  private List<Long> bodies(@Nullable Long last, int limit) {
    long above = last == null ? Long.MIN_VALUE : last;
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID)
                .from(QUEUE_PAYLOAD_CHUNK.forceIndex("PRIMARY"))
                .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.gt(above))
                .and(QUEUE_PAYLOAD_CHUNK.SEQ.eq(0))
                .orderBy(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID)
                .limit(limit)
                .fetch(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID));
  }

  private List<Long> gone(List<Long> ids) {
    return ids.isEmpty()
        ? List.of()
        : transactions.read(
            dsl ->
                JooqOwners.abandoned(
                    dsl, QUEUE_PAYLOAD_CHUNK.MESSAGE_ID, QUEUE_PAYLOAD_CHUNK.SEQ.eq(0), ids));
  }

  /** Deletes chunk 0 last, so that the next sweep finds the rest of an interrupted deletion. */
  private int delete(long id) {
    int deleted = 0;
    int rows;
    do {
      rows = transactions.run(Transition.SWEEP_BODIES, tx -> delete(tx.dsl(), id));
      deleted += rows;
    } while (rows == CHUNKS);
    return deleted;
  }

  private static int delete(DSLContext dsl, long id) {
    return dsl.deleteFrom(QUEUE_PAYLOAD_CHUNK)
        .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.eq(id))
        .orderBy(QUEUE_PAYLOAD_CHUNK.SEQ.desc())
        .limit(CHUNKS)
        .execute();
  }
}
