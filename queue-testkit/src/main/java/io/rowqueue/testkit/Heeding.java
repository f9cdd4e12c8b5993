package io.rowqueue.testkit;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;

/** Operators' pauses and limits, as applied by a worker without threads. Confined to one thread. */
interface Heeding {

  /** Ignores pauses and limits. */
  Heeding NOTHING =
      new Heeding() {
        @Override
        public int admit(Topic topic, LockId worker, int wanted) {
          return wanted;
        }

        @Override
        public void handled(Topic topic, LockId worker) {}
      };

  /**
   * Returns how many of {@code wanted} messages may be processed in one attempt now; zero if none
   * may start.
   */
  int admit(Topic topic, LockId worker, int wanted);

  /** Called when the admitted attempt has ended. */
  void handled(Topic topic, LockId worker);
}
