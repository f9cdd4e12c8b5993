package io.rowqueue.bench.measure;

/** One way to do something with messages. For one thread. */
public interface Contender extends AutoCloseable {

  /** Short, for a table's first column. */
  String name();

  /** Does it once with so many messages; leaves nothing behind that the next round would meet. */
  Effort round(Meter meter, int messages) throws Exception;

  /**
   * How many times fewer messages it gets in a round, so that slow ones do not take most of a run's
   * time; rates and costs are those of one message anyway.
   */
  default int fewer() {
    return 1;
  }

  @Override
  default void close() {}

  /**
   * Another's turns, with something before and after each that is not measured; {@code after} also
   * runs after a turn that fails.
   */
  record Prepared(Contender contender, Step before, Step after) implements Contender {

    @Override
    public String name() {
      return contender.name();
    }

    @Override
    public Effort round(Meter meter, int messages) throws Exception {
      before.run(messages);
      try {
        return contender.round(meter, messages);
      } finally {
        after.run(messages);
      }
    }

    @Override
    public void close() {
      contender.close();
    }

    /** What is not measured. */
    @FunctionalInterface
    public interface Step {

      /** Comes before or behind a turn of so many messages. */
      void run(int messages) throws Exception;
    }
  }
}
