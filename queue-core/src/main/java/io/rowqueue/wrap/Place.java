package io.rowqueue.wrap;

import io.rowqueue.message.Topic;

/**
 * Where a wrapped payload belongs; a seal holds only there.
 *
 * @param topic the row's
 * @param mark what the payload's header says up to this wrapper, its own name included
 * @param version of the payload, as its header says; 1 where it says nothing
 */
public record Place(Topic topic, String mark, int version) {

  /** The same for the wrapper that {@code inner} ends with. */
  Place at(String inner) {
    return new Place(topic, inner, version);
  }
}
