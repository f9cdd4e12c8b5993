package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;

/** The books of a run that has not begun. */
final class EmptyBooks {

  private EmptyBooks() {}

  /** All of them, in {@code database}; those of features look into the others. */
  static FeatureLedger in(QueueDatabase database) {
    Ledger books = new Ledger(database);
    FeatureLedger features = new FeatureLedger(database);
    assertThat(books.enqueued()).isZero();
    return features;
  }
}
