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
record NewOrderedMessage(long id, OrderingGroup line, boolean unseen, boolean later)
    implements Comparable<NewOrderedMessage> {

  TopicKeyId groupId() {
    return line.id();
  }

  JooqGroups.Place place() {
    return new JooqGroups.Place(groupId(), id);
  }

  @Override
  public int compareTo(NewOrderedMessage other) {
    return Long.compare(id, other.id);
  }
}
