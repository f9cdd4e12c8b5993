package io.rowqueue.order;

import io.rowqueue.message.Topic;

/**
 * A message that has become its line's head and is available.
 *
 * @param topic whose it is
 * @param priority its own
 * @param id its own
 */
record Freed(Topic topic, byte priority, long id) {}
