package io.rowqueue.testkit.internal.contract;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.LockId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a worker does in a thread of its own. */
final class ClaimSteps {

  private ClaimSteps() {}

  /** More than there are: who comes as far is given what is claimed already. */
  private static final int TOO_MANY = 500;

  /** Claims a few at a time until nothing is left; rows that somebody else holds may be left. */
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
