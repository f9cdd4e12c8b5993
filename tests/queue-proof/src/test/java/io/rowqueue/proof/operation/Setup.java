package io.rowqueue.proof.operation;

import io.rowqueue.tests.statement.Core;

/** What the tables hold before an operation. */
@FunctionalInterface
public interface Setup {

  /** Fills the tables, and says what is to be done there, by parts of {@code core}. */
  Act arrange(Fixture fixture, Core core);
}
