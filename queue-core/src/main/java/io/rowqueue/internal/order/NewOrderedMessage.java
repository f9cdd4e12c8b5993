package io.rowqueue.internal.order;

import io.rowqueue.internal.message.TopicKeyId;

/**
 * A message that is not admitted yet, read without locks. Ordered by id.
 *
 * @param id its own
 * @param group the group that it joins
 * @param unseen whether the row is as a producer wrote it, and not that of a returning message
 * @param later whether it is not due yet, as a row inserted by plain SQL can be
 * @param hasGroup whether the row of its group exists
 */
record NewOrderedMessage(
    long id, OrderingGroup group, boolean unseen, boolean later, boolean hasGroup)
    implements Comparable<NewOrderedMessage> {

  TopicKeyId groupId() {
    return group.id();
  }

  JooqGroups.Place place() {
    return new JooqGroups.Place(groupId(), id);
  }

  @Override
  public int compareTo(NewOrderedMessage other) {
    return Long.compare(id, other.id);
  }
}
