package io.rowqueue.proof.model;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.proof.model.HandlerSteps.Crash;
import io.rowqueue.proof.model.HandlerSteps.Ending;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes one claim through the real pipeline, and stands still inside the handler and before the
 * COMMIT until the play tells it to go on. Only one of the two ever moves, so that a play with open
 * transactions is as repeatable as one without.
 */
final class HandlerThread extends Thread implements HandlingListener {

  /** Where it stands still. */
  enum Station {
    /** In the handler, whose effect is written. */
    HANDLING,
    /** The message is deleted, and the COMMIT is not sent. */
    COMMITTING,
    /** The claim is settled. */
    ENDED
  }

  private static final long PATIENCE_SECONDS = 60;

  private final HandlerPipeline pipeline;
  private final Claim claim;
  private final SynchronousQueue<Station> reached = new SynchronousQueue<>();
  private final SynchronousQueue<Ending> orders = new SynchronousQueue<>();
  private volatile boolean crashed;
  private volatile @Nullable Outcome outcome;
  private volatile @Nullable Throwable failure;

  HandlerThread(HandlerPipeline pipeline, Claim claim) {
    super("handler-of-" + claim.id());
    setDaemon(true);
    this.pipeline = pipeline;
    this.claim = claim;
  }

  /** Begins, and waits for the first station. */
  Station begin() {
    start();
    return nextStation();
  }

  /** Lets it go on from where it stands, and waits for the next station. */
  Station goOn(Ending ending) {
    crashed = ending == Ending.CRASH;
    try {
      if (!orders.offer(ending, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(getName() + " stands nowhere");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return nextStation();
  }

  private Station nextStation() {
    try {
      Station station = reached.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (station == null) {
        throw new AssertionError(getName() + " waits for something, or never ends");
      }
      Throwable thrown = failure;
      if (thrown != null) {
        throw new AssertionError(getName() + " failed: " + thrown, thrown);
      }
      return station;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How the pipeline says that it ended; null if it crashed. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  boolean hasCrashed() {
    return crashed;
  }

  @Override
  public void run() {
    try {
      pipeline.handle(claim, () -> null, this);
    } catch (Crash e) {
      // As wished.
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    tell(Station.ENDED);
  }

  /** The handler's body, on this thread: an effect, and then whatever the play wants. */
  void handle(HandlerContext context) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute(
          "INSERT INTO effect (message_id, claim) VALUES (%s, %d)"
              .formatted(context.id(), context.claimNumber()));
    }
    standAt(Station.HANDLING).end();
  }

  /** The transaction's work is done, on this thread. */
  void beforeCommit(Transition transition) {
    if (transition == Transition.ACK) {
      Ending ending = standAt(Station.COMMITTING);
      if (ending == Ending.CRASH) {
        ending.end();
      }
    }
  }

  private Ending standAt(Station station) {
    tell(station);
    try {
      Ending ending = orders.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (ending == null) {
        throw new Crash();
      }
      return ending;
    } catch (InterruptedException e) {
      throw new Crash();
    }
  }

  private void tell(Station station) {
    try {
      reached.offer(station, PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new Crash();
    }
  }

  @Override
  public void begun(Handling handling) {}

  @Override
  public void ended(Handling handling) {}

  @Override
  public void settled(Claim settled, Outcome how) {
    outcome = how;
  }
}
