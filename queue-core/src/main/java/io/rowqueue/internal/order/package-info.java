/**
 * Ordering groups: messages of one topic with the same ordering key, which are handled in the order
 * of their ids.
 *
 * <p>Producers insert a message as a member of its group ({@link io.rowqueue.internal.enqueue})
 * without checking whether the group is free. Workers admit new messages: they make the lowest
 * message of a free group available. The transaction that ends a message makes the next one
 * available. A transaction that removes a message in another way only marks its group as needing a
 * release, and a worker's next poll resumes the group. A transaction that changes a group holds the
 * lock on the group's row, taken after the locks of messages and before those of members.
 */
@NullMarked
package io.rowqueue.internal.order;

import org.jspecify.annotations.NullMarked;
