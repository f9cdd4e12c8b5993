package io.rowqueue.operate;

/**
 * A topic that has settings.
 *
 * @param topic its name as stored; may be invalid if it was written by SQL
 * @param paused whether workers do not claim its messages
 * @param settings its limits and its retention
 * @param full whether its last sample was over its back-pressure limit; false if it has none
 * @param onDeadLetter the policy for messages that wait behind a dead letter of their ordering key
 */
public record TopicInfo(
    String topic,
    boolean paused,
    TopicSettings settings,
    boolean full,
    DeadLetterPolicy onDeadLetter) {

  /** Creates the info of a topic without settings. */
  public static TopicInfo none(String topic) {
    return new TopicInfo(topic, false, TopicSettings.NONE, false, DeadLetterPolicy.BLOCK);
  }
}
