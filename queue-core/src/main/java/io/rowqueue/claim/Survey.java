package io.rowqueue.claim;

import io.rowqueue.message.Topic;
import java.util.Set;

/**
 * What a look found.
 *
 * @param available the topics that have an available message
 * @param due whether a scheduled message is due, of whichever topic
 * @param aside whether what was looked for on the side is there
 */
public record Survey(Set<Topic> available, boolean due, boolean aside) {

  /** Nothing, or nothing was asked for. */
  public static final Survey NOTHING = new Survey(Set.of(), false, false);

  /** Copies the set. */
  public Survey {
    available = Set.copyOf(available);
  }
}
