package io.rowqueue;

/** Members cannot be added to a batch that is complete, or pruned; none was added. */
public final class BatchCompleteException extends QueueException {
  private final long batch;

  /** For {@code batch}. */
  public BatchCompleteException(long batch) {
    super(
        "batch %d is complete and accepts no more members; open another, or close it later to keep it open"
            .formatted(batch));
    this.batch = batch;
  }

  /** The batch's id. */
  public long batch() {
    return batch;
  }
}
