package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What operators set for whole topics. Every worker acts on it within about two seconds, and it
 * outlives every worker. Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails after every repetition.
 */
public interface Topics {

  /** Every topic that an operator has set something for, by name. */
  List<TopicInfo> list();

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

  /** What is set for {@code topic}; {@link TopicSettings#NONE} if nothing is. */
  TopicSettings settings(Topic topic);

  /**
   * Reads the settings of {@code topic} and writes those that {@code change} changes: another
   * setting that is changed meanwhile stays changed, and of two writes of one the later counts.
   *
   * @param change called once
   * @throws IllegalArgumentException if it sets a value out of the range that {@link TopicSettings}
   *     names; nothing is written then
   */
  void change(Topic topic, UnaryOperator<TopicSettings> change);

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
