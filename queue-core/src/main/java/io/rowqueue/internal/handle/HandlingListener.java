package io.rowqueue.internal.handle;

import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;

/** Is told of every handling's begin and end, on the handler's thread. Thread-safe. */
public interface HandlingListener {

  /** Watches nothing: for tests that run the pipeline on their own thread. */
  HandlingListener NONE =
      new HandlingListener() {
        @Override
        public void begun(Handling handling) {}

        @Override
        public void ended(Handling handling) {}

        @Override
        public void settled(Claim claim, Outcome outcome) {}
      };

  /** The handler is about to run. */
  void begun(Handling handling);

  /** The handling is settled, or left to the watcher. */
  void ended(Handling handling);

  /**
   * {@code claim} has come to its end, whether or not its handling ever begun. Told once for every
   * claim that the pipeline was given; of a handling that was abandoned, on the thread that settles
   * it.
   */
  void settled(Claim claim, Outcome outcome);
}
