package io.rowqueue.spi;

import io.rowqueue.Topic;

/**
 * Where a wrapped payload belongs; a seal holds only there.
 *
 * @param topic the row's
 * @param mark what the payload's header says up to this wrapper, its own name included
 * @param version of the payload, as its header says; 1 where it says nothing, and 0 for a result
 */
public record Place(Topic topic, String mark, int version) {

  /** No payload has it, so that nobody can pass a payload off as a result, or a result as one. */
  public static final int OF_A_RESULT = 0;
}
