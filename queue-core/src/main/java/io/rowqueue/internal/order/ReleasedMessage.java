package io.rowqueue.internal.order;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;

/**
 * A message that its ordering group has made available.
 *
 * @param topic its topic
 * @param candidate the message, for the claimer
 */
record ReleasedMessage(Topic topic, Candidate candidate) {}
