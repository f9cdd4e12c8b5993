package io.rowqueue.testkit;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;

/** What a worker without threads heeds of what operators want. Confined to one thread. */
interface Heeding {

  /** Whatever they want. */
  Heeding NOTHING =
      new Heeding() {
        @Override
        public int admit(Topic topic, LockId worker, int wanted) {
          return wanted;
        }

        @Override
        public void handled(Topic topic, LockId worker) {}
      };

  /** How many of {@code wanted} messages may go into one handling now; zero: none may begin. */
  int admit(Topic topic, LockId worker, int wanted);

  /** The handling that was admitted is over. */
  void handled(Topic topic, LockId worker);
}
