package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Settings of topics, for operators. They are stored in the database, and every worker applies
 * changes within about two seconds. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface Topics {

  /** Lists the topics that have settings, by name. */
  List<TopicInfo> list();

  /**
   * Lists the names of topics that have a message, a dead letter or a setting, or that a live
   * worker handles. Topics need not be created: a producer may enqueue to any other name.
   */
  Set<String> known();

  /**
   * Stops workers from claiming the topic's messages. Running handlers finish; messages that are
   * claimed but not started are released. Producers can still enqueue. Idempotent.
   */
  void pause(Topic topic);

  /** Lets workers claim the topic's messages again. Idempotent. */
  void resume(Topic topic);

  /** Reads the settings of {@code topic}; {@link TopicSettings#NONE} if it has none. */
  TopicSettings settings(Topic topic);

  /**
   * Reads the settings of {@code topic} and writes only those that {@code change} changes.
   * Concurrent changes of other settings are kept; of concurrent changes of one setting, the last
   * wins.
   *
   * @param change called once
   * @throws IllegalArgumentException if a changed value is outside the range documented in {@link
   *     TopicSettings}; nothing is written then
   */
  void change(Topic topic, UnaryOperator<TopicSettings> change);

  /**
   * Sets the policy for messages that wait behind a dead letter of their ordering key. The default
   * is {@link DeadLetterPolicy#BLOCK}. {@link DeadLetterPolicy#SKIP} also admits messages that are
   * already blocked.
   */
  void onDeadLetter(Topic topic, DeadLetterPolicy then);

  /**
   * Lists the ordering keys of {@code topic} that have messages, by key.
   *
   * @param held whether to list only keys that a dead letter blocks
   * @param limit maximum number of keys
   */
  List<OrderingKeyDetails> orderingKeys(Topic topic, boolean held, int limit);
}
