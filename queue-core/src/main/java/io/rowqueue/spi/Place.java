package io.rowqueue.spi;

import io.rowqueue.Topic;

/**
 * The context of a wrapped payload; encryption is bound to it.
 *
 * @param topic the row's topic
 * @param mark the payload's header up to and including this wrapper
 * @param version of the payload, from its header; 1 without a header, and 0 for a result
 */
public record Place(Topic topic, String mark, int version) {

  /**
   * No payload has this version, so a payload cannot be passed off as a result, nor a result as a
   * payload.
   */
  public static final int OF_A_RESULT = 0;
}
