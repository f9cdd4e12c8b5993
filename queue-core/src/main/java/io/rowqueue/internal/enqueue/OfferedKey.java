package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicKeyId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A key of one call: what is offered under it, and the message that it turns out to name. */
final class OfferedKey {

  private final TopicKeyId id;
  private final Deduplication rule;

  /** Which of the call's messages it is that is inserted, if one is. */
  private final int position;

  private EncodedMessage content;
  private HeldKey before = HeldKey.NOTHING;
  private HeldKey held = HeldKey.NOTHING;
  private @Nullable Long messageId;
  private boolean isNew = true;

  OfferedKey(TopicKeyId id, EncodedMessage content, int position) {
    this.id = id;
    this.rule = Objects.requireNonNull(content.deduplication());
    this.content = content;
    this.position = position;
  }

  /** Another message of the same call: the first stays, with replacing the last one's content. */
  void offerAgain(EncodedMessage message) {
    if (!rule.equals(message.deduplication())) {
      throw new InvalidMessageException(
          "deduplication key '%s' of topic '%s' has two rules in one call, %s and %s; give it one"
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

  /** What the look before the lock has found. */
  void sawBefore(HeldKey key) {
    before = key;
  }

  /** What the look under the lock has found. */
  void saw(HeldKey key) {
    held = key;
  }

  /** The message that may hold the key; null if none does. */
  @Nullable Long candidate() {
    return held.holds(rule, before) ? held.messageId() : null;
  }

  /** The key is held by {@code first}. */
  void isHeldBy(long first) {
    if (rule.answer() == Deduplication.Answer.REFUSE) {
      throw refusal(first);
    }
    messageId = first;
    isNew = false;
  }

  /** Its content was inserted as {@code message}. */
  void isNamed(long message) {
    messageId = message;
  }

  /** {@code first} waits, and cannot take what is offered. */
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

  /** The message that it names; known once its call is done. */
  long messageId() {
    return Objects.requireNonNull(messageId);
  }

  /** What became of the call's message at {@code index}, which has this key. */
  EnqueueResult.Outcome outcome(int index) {
    if (isNew && index == position) {
      return EnqueueResult.Outcome.INSERTED;
    }
    return rule.replaces() ? EnqueueResult.Outcome.REPLACED : EnqueueResult.Outcome.DUPLICATE;
  }
}
