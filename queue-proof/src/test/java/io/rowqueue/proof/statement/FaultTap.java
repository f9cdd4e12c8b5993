package io.rowqueue.proof.statement;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what is sent, and has the server refuse some of it. For one thread. */
final class FaultTap implements Tap {

  private final List<Sent> sent = new ArrayList<>();
  private @Nullable Strike strike;
  private int strikes;

  @Override
  public void before(Sent next, Connection real) throws SQLException {
    int position = sent.size();
    sent.add(next);
    Strike now = strike;
    if (now != null && now.hits(position, next)) {
      strikes++;
      now.fault.strike(real);
    }
  }

  /** Writes down anew, and lets {@code next} happen; null for nothing. */
  void begin(@Nullable Strike next) {
    sent.clear();
    strikes = 0;
    strike = next;
  }

  /** What was sent since the last begin. */
  List<Sent> sent() {
    return List.copyOf(sent);
  }

  /** How often it struck since the last begin. */
  int strikes() {
    return strikes;
  }

  /**
   * Which statements are refused, and how.
   *
   * @param position of the only one, which no repetition of it has; or {@link #EVERY_COMMIT}
   */
  record Strike(Fault fault, int position) {

    private static final int EVERY_COMMIT = -1;

    static Strike once(Fault fault, int position) {
      return new Strike(fault, position);
    }

    static Strike everyCommit(Fault fault) {
      return new Strike(fault, EVERY_COMMIT);
    }

    private boolean hits(int at, Sent sent) {
      return position == EVERY_COMMIT ? sent.isCommit() : at == position;
    }
  }
}
