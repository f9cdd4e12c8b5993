package io.rowqueue;

/** Members were to be added to a batch that is complete, or pruned; none was. */
public final class BatchCompleteException extends QueueException {
  private static final long serialVersionUID = 1L;

  private final long batch;

  /** That {@code batch} is. */
  public BatchCompleteException(long batch) {
    super(
        "batch %d is complete, and takes no member more; open another, or keep it open by sealing it later"
            .formatted(batch));
    this.batch = batch;
  }

  /** Which. */
  public long batch() {
    return batch;
  }
}
