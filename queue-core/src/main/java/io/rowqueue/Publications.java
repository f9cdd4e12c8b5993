package io.rowqueue;

import java.util.List;

/**
 * The results of publishing several messages. Immutable.
 *
 * @param all one for each message, in their order
 */
public record Publications(List<Publication> all) {

  /** Copies {@code all}. */
  public Publications {
    all = List.copyOf(all);
  }

  /** The number of copies of all messages together. */
  public int copies() {
    return all.stream().mapToInt(each -> each.copies().size()).sum();
  }

  /**
   * Requires at least one copy of each message; see {@link Publication#requireCopies}.
   *
   * @return this
   * @throws NoSubscriptionException if a message has no copy
   */
  public Publications requireCopies() {
    for (Publication each : all) {
      Publication unused = each.requireCopies();
    }
    return this;
  }
}
