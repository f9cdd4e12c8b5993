package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.util.Collection;
import java.util.List;

/**
 * Which topics get copies of what is published under which source, as operators and services see
 * and change it. Thread-safe.
 *
 * <p>Each change is a transaction of its own, and has committed when it returns. It waits for the
 * publications of its source whose transactions are open, one second at a time, since others queue
 * behind it meanwhile; it gives way and tries again for about 17 seconds. It is not offered in a
 * caller's transaction, which would hold publications up for longer.
 *
 * <ul>
 *   <li>Who publishes after {@link #subscribe} has returned, reaches the topic.
 *   <li>When {@link #unsubscribe} or {@link #pause} has returned, every copy that it did not
 *       prevent is committed, and no more comes. Those that lie in the topic stay, and are handled.
 * </ul>
 *
 * <p>Every method throws {@link io.rowqueue.QueueException} if the database fails after every
 * repetition, or publications of the source stay open for all of them; nothing has changed then.
 */
public interface Subscriptions {

  /**
   * Lets {@code topic} have a copy of what is published under {@code source} from now on. One that
   * is there stays as it is, muted or not.
   *
   * @throws io.rowqueue.InvalidMessageException if one of them is no name of a topic
   */
  void subscribe(String source, String topic);

  /**
   * Adds those of {@code declared} that are missing, as a worker's start does; waits for nobody if
   * all are there.
   *
   * @return how many were added
   */
  int declare(Collection<Subscription> declared);

  /**
   * Ends a subscription. The next start of a worker that has it in its code adds it again; {@link
   * #pause} is what that does not undo.
   *
   * @return false if there is no such subscription
   */
  boolean unsubscribe(String source, String topic);

  /** Has it get no copies until it is unmuted. False if there is no such subscription. */
  boolean pause(String source, String topic);

  /** Has it get copies again. False if there is no such subscription. */
  boolean resume(String source, String topic);

  /** All of them by source and topic; locks nothing. */
  List<SubscriptionDetails> list();

  /** The topics that would get a copy now, in alphabetical order; locks nothing. */
  List<Topic> topics(String source);
}
