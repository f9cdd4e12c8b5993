package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What operators set for whole topics. Every worker acts on it within about two seconds, and it
 * outlives every worker. Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails after every repetition.
 */
public interface Topics {

  /** Every topic that an operator has set something for, by name. */
  List<TopicSetting> list();

  /**
   * The names of all topics that have a message, a dead letter or a setting, or that a living
   * worker handles. A topic may be used before it is known.
   */
  Set<String> known();

  /**
   * No worker claims the topic's messages from now on. What runs may finish; what is claimed and
   * has not started is handed back. Enqueueing goes on. Idempotent.
   */
  void pause(Topic topic);

  /** The topic's messages are claimed again. Idempotent. */
  void resume(Topic topic);

  /**
   * From now on a copy of each acknowledged message is archived and stays for {@code days} days
   * after the day of its acknowledgement, in UTC; copies that exist keep to the new number, too.
   *
   * @throws IllegalArgumentException if {@code days} is below 1 or above 36,500
   */
  void retain(Topic topic, int days);

  /** No copies any more; those that exist are pruned. Idempotent. */
  void noRetention(Topic topic);

  /**
   * From now on at most {@code most} handlings of the topic run at once, over all workers; those
   * that run already are let finish. A batch, and what shares a commit, is one handling.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000
   */
  void limitInFlight(Topic topic, int most);

  /** As many at once as the workers like. Idempotent. */
  void limitInFlightNone(Topic topic);

  /**
   * From now on at most {@code most} messages of the topic are begun in a second, over all workers,
   * and a tenth of that more where none were begun before. A retry is begun, too.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000,000
   */
  void limitPerSecond(Topic topic, int most);

  /** As many a second as the workers like. Idempotent. */
  void limitPerSecondNone(Topic topic);

  /**
   * From now on at most {@code most} of the topic's messages with the same ordering key are handled
   * at once, over all workers, and those of a key begin in order. Those that run already are let
   * finish. With more than one, a message that waits for another attempt lets the next go, and a
   * dead letter holds none.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000
   */
  void limitKeyInFlight(Topic topic, int most);

  /** Messages of a key are handled one after the other. Idempotent. */
  void limitKeyInFlightNone(Topic topic);

  /**
   * From now on at most {@code most} of the topic's messages with the same ordering key are let go
   * in a second, over all workers, and a tenth of that more where none were before.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000,000
   */
  void limitKeyPerSecond(Topic topic, int most);

  /** Messages of a key begin as soon as there is room for them. Idempotent. */
  void limitKeyPerSecondNone(Topic topic);

  /**
   * From now on the topic is overfull while more than {@code most} of its messages wait and, where
   * an age is set, the oldest waits for too long. Whoever asks is told; nobody is refused by that
   * alone.
   *
   * @throws IllegalArgumentException if {@code most} is below 1
   */
  void limitDepth(Topic topic, long most);

  /** Any number may wait. Idempotent. */
  void limitDepthNone(Topic topic);

  /**
   * From now on the topic is overfull while its oldest message has waited for more than {@code
   * longest} and, where a depth is set, too many wait.
   *
   * @param longest whole seconds count
   * @throws IllegalArgumentException if it is below a second or above ten years
   */
  void limitAge(Topic topic, Duration longest);

  /** They may wait for as long as they do. Idempotent. */
  void limitAgeNone(Topic topic);

  /**
   * What becomes of those that wait behind a dead letter with their ordering key: by default it
   * holds them. With {@link DeadLetterPolicy#SKIP}, those that are held already go on, too.
   */
  void onDeadLetter(Topic topic, DeadLetterPolicy then);

  /**
   * The lines of {@code topic}, by their keys: messages that share an ordering key.
   *
   * @param held only those that a dead letter holds
   * @param limit at most so many
   */
  List<OrderingKeyDetails> lines(Topic topic, boolean held, int limit);
}
