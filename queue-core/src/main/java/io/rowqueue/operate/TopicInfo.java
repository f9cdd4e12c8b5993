package io.rowqueue.operate;

/**
 * A topic that an operator has set something for.
 *
 * @param topic its name, as it stands in the table
 * @param paused whether its messages are not claimed
 * @param settings what is set for it
 * @param full whether it was overfull when last checked; false if it has no such limit
 * @param onDeadLetter what happens to messages that wait behind a dead letter with their ordering
 *     key
 */
public record TopicInfo(
    String topic,
    boolean paused,
    TopicSettings settings,
    boolean full,
    DeadLetterPolicy onDeadLetter) {

  /** Of a topic that nothing is set for. */
  public static TopicInfo none(String topic) {
    return new TopicInfo(topic, false, TopicSettings.NONE, false, DeadLetterPolicy.BLOCK);
  }
}
