package io.rowqueue.internal.order;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;

/**
 * A message that has become its line's head and is available.
 *
 * @param topic whose it is
 * @param candidate itself, for whoever claims it
 */
record ReleasedMessage(Topic topic, Candidate candidate) {}
