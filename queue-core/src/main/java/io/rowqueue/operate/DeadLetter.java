package io.rowqueue.operate;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.time.Instant;

/**
 * A message that was set aside, without its body.
 *
 * @param id the message's id, which it keeps
 * @param topic where it was enqueued, and returns to when redriven
 * @param reason why it was set aside
 * @param detail the last error's first lines, or what was found wrong
 * @param claims how often it had been claimed
 * @param attempts how many handlings had failed
 * @param lost how many claims had died with their workers
 * @param createdAt when it was enqueued
 * @param deadAt when it was set aside
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
