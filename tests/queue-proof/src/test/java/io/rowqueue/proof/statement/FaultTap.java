package io.rowqueue.proof.statement;

import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import java.sql.Connection;
import java.sql.SQLException;

/** Has the server refuse some of what is sent. For one thread. */
final class FaultTap implements Tap {

  private final Injection injection;
  private int position;
  private int injections;

  FaultTap(Injection injection) {
    this.injection = injection;
  }

  @Override
  public void before(Sent next, Connection real) throws SQLException {
    if (injection.hits(position++, next)) {
      injections++;
      injection.fault.injection(real);
    }
  }

  int strikes() {
    return injections;
  }

  /** Which statements are refused, and how. */
  record Injection(Fault fault, int position) {

    private static final int EVERY_COMMIT = -1;

    static Injection once(Fault fault, int position) {
      return new Injection(fault, position);
    }

    static Injection everyCommit(Fault fault) {
      return new Injection(fault, EVERY_COMMIT);
    }

    private boolean hits(int at, Sent sent) {
      return position == EVERY_COMMIT ? sent.isCommit() : at == position;
    }
  }
}
