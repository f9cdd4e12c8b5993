package io.rowqueue.proof.statement;

import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import java.sql.Connection;
import java.sql.SQLException;

/** Has the server refuse some of what is sent. For one thread. */
final class FaultTap implements Tap {

  private final Strike strike;
  private int position;
  private int strikes;

  FaultTap(Strike strike) {
    this.strike = strike;
  }

  @Override
  public void before(Sent next, Connection real) throws SQLException {
    if (strike.hits(position++, next)) {
      strikes++;
      strike.fault.strike(real);
    }
  }

  int strikes() {
    return strikes;
  }

  /** Which statements are refused, and how. */
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
