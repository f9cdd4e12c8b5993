package io.rowqueue.proof.race;

import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Holds a player between its last statement and its COMMIT, and sees what it had to repeat. */
final class Gate implements TransactionProbe {

  private final List<String> repetitions = new CopyOnWriteArrayList<>();
  private volatile @Nullable Hold hold;

  /** Closes it for the next transaction of {@code transition}. */
  Hold closeFor(Transition transition) {
    repetitions.clear();
    Hold closed = new Hold(transition, new CompletableFuture<>(), new CompletableFuture<>());
    hold = closed;
    return closed;
  }

  /** Leaves it open, and forgets what was before. */
  void open() {
    repetitions.clear();
    hold = null;
  }

  /** What was rolled back and run again since it was closed or opened, and why. */
  List<String> repetitions() {
    return List.copyOf(repetitions);
  }

  @Override
  public void beforeCommit(Transition transition) {
    Hold closed = hold;
    if (closed != null && closed.transition == transition) {
      hold = null;
      closed.reached.complete(transition);
      closed.open.join();
    }
  }

  @Override
  public void repeated(Transition transition, Throwable cause) {
    repetitions.add(transition.label() + ": " + cause.getMessage());
  }

  /**
   * One time that it is closed.
   *
   * @param transition for whose COMMIT
   * @param reached when somebody stands there
   * @param open when he may go on
   */
  record Hold(
      Transition transition,
      CompletableFuture<Transition> reached,
      CompletableFuture<Boolean> open) {

    /** Lets whoever stands there, or comes, go on. */
    void letGo() {
      open.complete(true);
    }
  }
}
