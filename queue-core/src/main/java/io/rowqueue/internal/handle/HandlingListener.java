package io.rowqueue.internal.handle;

import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;

/** Notified of the start and the end of every handling, on the handler's thread. Thread-safe. */
public interface HandlingListener {

  /** Does nothing; for tests that run the pipeline on their own thread. */
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
   * {@code claim} has reached its end, whether or not its handler ever started. Called exactly once
   * for every claim given to the pipeline; for an abandoned handling, on the thread that settles
   * it.
   */
  void settled(Claim claim, Outcome outcome);
}
