package io.rowqueue.worker.internal.doctor;

import java.util.List;

/** A check of one subject. */
record Check(String subject, Probe probe) {

  /** Performs a check. */
  @FunctionalInterface
  interface Probe {

    /**
     * Returns its findings, one OK finding if nothing is wrong.
     *
     * @throws io.rowqueue.QueueException if the database cannot be read
     */
    List<Finding> find();
  }
}
