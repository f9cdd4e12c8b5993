package io.rowqueue.worker.internal.doctor;

import java.util.List;

/** Looks at one thing. */
record Check(String subject, Probe probe) {

  /** How it looks. */
  @FunctionalInterface
  interface Probe {

    /**
     * What it finds, one of which is OK if nothing is wrong.
     *
     * @throws io.rowqueue.QueueException if the database does not say
     */
    List<Finding> find();
  }
}
