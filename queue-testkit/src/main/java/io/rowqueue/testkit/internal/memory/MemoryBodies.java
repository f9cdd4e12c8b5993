package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.body.BodyStream;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.UnreadableException;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * Separately stored payloads by message id. As in the tables, a payload is orphaned once its
 * message is neither in the queue nor a dead letter, and stays until it is swept. Guarded by its
 * {@link Memory}.
 */
final class MemoryBodies implements Bodies, BodySweep {

  private final Memory memory;
  private final TreeMap<Long, byte[]> all = new TreeMap<>();

  MemoryBodies(Memory memory) {
    this.memory = memory;
  }

  void lay(long id, byte[] bytes) {
    all.put(id, memory.rules.laid(bytes));
  }

  /** Returns the payload of {@code row} from its location; empty if it is missing. */
  byte[] payloadOf(MemoryRow row) {
    return row.headers.containsKey(Headers.BODY)
        ? all.getOrDefault(row.id, row.payload)
        : row.payload;
  }

  @Override
  public Body find(MessageId id, String place) {
    if (!place.equals(BodyLocations.ROWS)) {
      throw new UnreadableException(
          "the payload of message %s lies in '%s', which a queue in memory does not know"
              .formatted(id, place));
    }
    return () -> BodyStream.of(() -> bytes(id));
  }

  private byte[] bytes(MessageId id) {
    synchronized (memory) {
      byte[] bytes = memory.rules.foundBody(all.get(id.value()));
      if (bytes == null) {
        throw new BodyMissingException("the payload of message %s is not there".formatted(id));
      }
      return bytes;
    }
  }

  @Override
  public int sweep(Collection<MessageId> ids) {
    return sweepThose(ids.stream().map(MessageId::value).distinct().toList());
  }

  @Override
  public int sweepAll(int batch) {
    synchronized (memory) {
      return sweepThose(List.copyOf(all.keySet()));
    }
  }

  private int sweepThose(Collection<Long> ids) {
    synchronized (memory) {
      return (int)
          ids.stream().filter(this::isAbandoned).filter(id -> all.remove(id) != null).count();
    }
  }

  private boolean isAbandoned(long id) {
    return memory.rules.isAbandoned(memory.rows.containsKey(id), memory.dead.containsKey(id));
  }
}
