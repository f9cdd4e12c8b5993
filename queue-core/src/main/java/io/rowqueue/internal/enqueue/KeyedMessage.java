package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicKeyId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A deduplication key of one call, its new content, and the message that it finally names. */
final class KeyedMessage {

  private final TopicKeyId id;
  private final Deduplication rule;

  /** The position in the call of the message that is inserted, if the key is not held. */
  private final int position;

  private EncodedMessage content;
  private HeldKey before = HeldKey.NOTHING;
  private HeldKey held = HeldKey.NOTHING;
  private @Nullable Long messageId;
  private boolean isNew = true;

  KeyedMessage(TopicKeyId id, EncodedMessage content, int position) {
    this.id = id;
    this.rule = Objects.requireNonNull(content.deduplication());
    this.content = content;
    this.position = position;
  }

  /**
   * Adds another message of the call with this key. The first message is kept; a rule that replaces
   * gives it the content of the last one.
   */
  void addDuplicate(EncodedMessage message) {
    if (!rule.equals(message.deduplication())) {
      throw new InvalidMessageException(
          "deduplication key '%s' of topic '%s' has two rules in one call, %s and %s; use one of them"
              .formatted(rule.key(), message.topic(), rule, message.deduplication()));
    }
    if (rule.replaces() && !message.isInGroupsOf(content)) {
      throw ofAnotherGroup(null);
    }
    switch (rule.answer()) {
      case REFUSE -> throw refusal(null);
      case REPLACE -> content = message.memberAs(content);
      case REPLACE_KEEPING_DUE_TIME -> content = message.dueAs(content).memberAs(content);
      case FIRST -> {}
    }
  }

  /** Sets the content that was read before the lock. */
  void readBeforeLock(HeldKey key) {
    before = key;
  }

  /** Sets the content that was read under the lock. */
  void readUnderLock(HeldKey key) {
    held = key;
  }

  /** The message that may hold the key; null if none does. */
  @Nullable Long candidate() {
    return held.holds(rule, before) ? held.messageId() : null;
  }

  /**
   * Marks the key as held by {@code first}.
   *
   * @throws DuplicateMessageException if the rule refuses duplicates
   */
  void isHeldBy(long first) {
    if (rule.answer() == Deduplication.Answer.REFUSE) {
      throw refusal(first);
    }
    messageId = first;
    isNew = false;
  }

  /** Marks its content as inserted under the id {@code message}. */
  void isNamed(long message) {
    messageId = message;
  }

  /** An error: {@code first} has another ordering key, batch or chain, so it is not replaced. */
  DuplicateMessageException ofAnotherGroup(@Nullable Long first) {
    return DuplicateMessageException.ofAnotherGroup(new Topic(content.topic()), rule.key(), first);
  }

  private DuplicateMessageException refusal(@Nullable Long first) {
    return new DuplicateMessageException(new Topic(content.topic()), rule.key(), first);
  }

  TopicKeyId id() {
    return id;
  }

  Deduplication rule() {
    return rule;
  }

  EncodedMessage content() {
    return content;
  }

  int position() {
    return position;
  }

  boolean isNew() {
    return isNew;
  }

  /** The id of the message that it names; set when the call has run. */
  long messageId() {
    return Objects.requireNonNull(messageId);
  }

  /** The outcome of the message at {@code index} in the call, which has this key. */
  EnqueueResult.Outcome outcome(int index) {
    if (isNew && index == position) {
      return EnqueueResult.Outcome.INSERTED;
    }
    return rule.replaces() ? EnqueueResult.Outcome.REPLACED : EnqueueResult.Outcome.DUPLICATE;
  }
}
