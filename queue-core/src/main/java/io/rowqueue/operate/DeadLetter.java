package io.rowqueue.operate;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.time.Instant;

/**
 * A message in the dead-letter queue, without its body.
 *
 * @param id the message's id, which it keeps
 * @param topic its topic, to which it returns when redriven
 * @param reason why it was dead-lettered
 * @param detail the last error's first lines, or the problem that was found
 * @param claims how often it had been claimed
 * @param attempts how many attempts had failed
 * @param lost how many claims had died with their workers
 * @param createdAt when it was enqueued
 * @param deadAt when it was dead-lettered
 */
public record DeadLetter(
    MessageId id,
    Topic topic,
    DeadLetterReason reason,
    String detail,
    int claims,
    int attempts,
    int lost,
    Instant createdAt,
    Instant deadAt) {}
