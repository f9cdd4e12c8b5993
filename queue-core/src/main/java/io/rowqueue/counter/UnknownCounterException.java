package io.rowqueue.counter;

/** No counter has that name: it was never created, or was deleted. Nothing was written. */
public final class UnknownCounterException extends CounterException {

  private static final long serialVersionUID = 1L;

  UnknownCounterException(String name) {
    super(
        "there is no counter '%s'; create it first, with ShardedCounter.make".formatted(name),
        null);
  }
}
