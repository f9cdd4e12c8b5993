package io.rowqueue.order;

import io.rowqueue.claim.Candidate;
import io.rowqueue.message.Topic;

/**
 * A message that has become its line's head and is available.
 *
 * @param topic whose it is
 * @param candidate itself, for whoever claims it
 */
record Freed(Topic topic, Candidate candidate) {}
