package io.rowqueue;

/**
 * The awaited message is in no table, and there is no result: it was cancelled or discarded, its
 * topic keeps no results, its result has expired, or it never existed.
 */
public final class ResultUnavailableException extends QueueException {

  private final transient MessageId id;

  /** For RowQueue. */
  public ResultUnavailableException(MessageId id) {
    super(
        ("message %s is not in the queue and has no result: it was cancelled or discarded, its"
                + " topic keeps no results (in Java withResults()), its result has expired, or it"
                + " never existed")
            .formatted(id));
    this.id = id;
  }

  /** The message's id. */
  public MessageId id() {
    return id;
  }
}
