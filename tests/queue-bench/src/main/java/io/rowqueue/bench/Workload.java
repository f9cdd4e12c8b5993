package io.rowqueue.bench;

import io.rowqueue.bench.measure.Stage;

/** Something that is measured, by everybody who can do it. */
public interface Workload {

  /** As it is asked for. */
  String name();

  /** In a few words, for the list. */
  String what();

  /** Measures it and reports. */
  void run(Stage stage) throws Exception;
}
