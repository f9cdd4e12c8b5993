package io.rowqueue;

import java.util.List;

/**
 * What has become of messages that were published together. Immutable.
 *
 * @param all one for each message, in their order
 */
public record Publications(List<Publication> all) {

  /** Keeps a copy of {@code all}. */
  public Publications {
    all = List.copyOf(all);
  }

  /** How many copies there are of all messages together. */
  public int copies() {
    return all.stream().mapToInt(each -> each.copies().size()).sum();
  }

  /**
   * For who cannot bear that nobody gets one of the messages; see {@link
   * Publication#requireCopies}.
   *
   * @return this
   * @throws NoSubscriptionException if there is no copy of one of them
   */
  public Publications requireCopies() {
    for (Publication each : all) {
      Publication unused = each.requireCopies();
    }
    return this;
  }
}
