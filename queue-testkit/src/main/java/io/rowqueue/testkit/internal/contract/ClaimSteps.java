package io.rowqueue.testkit.internal.contract;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.LockId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The claims of a worker on its own thread. */
final class ClaimSteps {

  private ClaimSteps() {}

  /** More than there are messages: a strategy without locking would return claimed ones again. */
  private static final int TOO_MANY = 500;

  /** Claims a few at a time until nothing is left; may miss rows locked by others. */
  static List<MessageId> claimRest(CompletableFuture<Void> start, Scene scene, LockId worker) {
    start.join();
    List<MessageId> all = new ArrayList<>();
    List<MessageId> some = Scene.ids(scene.claim(worker, 7));
    while (!some.isEmpty() && all.size() < TOO_MANY) {
      all.addAll(some);
      some = Scene.ids(scene.claim(worker, 7));
    }
    return all;
  }
}
