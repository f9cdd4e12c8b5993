package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.util.Collection;
import java.util.List;

/**
 * Subscriptions of topics to sources, for operators and services. Thread-safe.
 *
 * <p>Each change is a transaction of its own, and has committed when it returns. It waits for open
 * transactions that have published under its source, one second at a time, since later publications
 * queue behind it; in between it lets them pass, and it retries for about 17 seconds. There is no
 * variant for a caller's transaction, which would block publications for longer.
 *
 * <ul>
 *   <li>Messages published after {@link #subscribe} has returned are copied to the topic.
 *   <li>When {@link #unsubscribe} or {@link #pause} has returned, every earlier copy is committed,
 *       and there are no more. Existing copies stay in the topic, and are handled.
 * </ul>
 *
 * <p>Every method throws {@link io.rowqueue.QueueException} if the database still fails after all
 * retries, or transactions that have published under the source stay open for that long; nothing
 * has changed then.
 */
public interface Subscriptions {

  /**
   * Subscribes {@code topic} to {@code source}. An existing subscription is not changed, paused or
   * not.
   *
   * @throws io.rowqueue.InvalidMessageException if one of the names is invalid
   */
  void subscribe(String source, String topic);

  /**
   * Adds the missing ones of {@code declared}, like a starting worker; takes no locks if none is
   * missing.
   *
   * @return how many were added
   */
  int declare(Collection<Subscription> declared);

  /**
   * Removes a subscription. The next start of a worker whose code declares it adds it again; use
   * {@link #pause} to prevent that.
   *
   * @return false if there is no such subscription
   */
  boolean unsubscribe(String source, String topic);

  /**
   * Pauses a subscription: it gets no copies until it is resumed. False if there is no such
   * subscription.
   */
  boolean pause(String source, String topic);

  /** Resumes a subscription. False if there is no such subscription. */
  boolean resume(String source, String topic);

  /** All subscriptions by source and topic; takes no locks. */
  List<SubscriptionDetails> list();

  /** The topics that would get a copy now, sorted; takes no locks. */
  List<Topic> topics(String source);
}
