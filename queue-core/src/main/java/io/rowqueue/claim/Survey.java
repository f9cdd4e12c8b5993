package io.rowqueue.claim;

import io.rowqueue.message.Topic;
import java.util.Set;

/**
 * What a look found.
 *
 * @param available the topics that have an available message
 * @param due whether a scheduled message is due, of whichever topic
 */
public record Survey(Set<Topic> available, boolean due) {

  /** Nothing, or nothing was asked for. */
  public static final Survey NOTHING = new Survey(Set.of(), false);

  /** Copies the set. */
  public Survey {
    available = Set.copyOf(available);
  }
}
