package io.rowqueue.counter;

/** No counter has that name: it was never created, or was deleted. Nothing was written. */
public final class UnknownCounterException extends CounterException {

  UnknownCounterException(String name) {
    super(
        "there is no counter '%s'; create it first, with ShardedCounter.make".formatted(name),
        null);
  }
}
