package io.rowqueue.internal.order;

import io.rowqueue.internal.message.TopicKeyId;

/**
 * A message that nobody has seen yet, as a look without locks found it. In the order of its id.
 *
 * @param id its own
 * @param line which line it joins
 * @param unseen whether its row is as a producer wrote it, and not a returning message's
 * @param later whether it is not due yet, as a row inserted by plain SQL can be
 */
record Arrival(long id, Line line, boolean unseen, boolean later) implements Comparable<Arrival> {

  TopicKeyId lineId() {
    return line.id();
  }

  JooqHeads.Place place() {
    return new JooqHeads.Place(lineId(), id);
  }

  @Override
  public int compareTo(Arrival other) {
    return Long.compare(id, other.id);
  }
}
