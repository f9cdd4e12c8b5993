package io.rowqueue.handle;

/** Is told of every handling's begin and end, on the handler's thread. Thread-safe. */
public interface HandlingWatch {

  /** Watches nothing: for tests that run the pipeline on their own thread. */
  HandlingWatch NONE =
      new HandlingWatch() {
        @Override
        public void begun(Handling handling) {}

        @Override
        public void ended(Handling handling) {}
      };

  /** The handler is about to run. */
  void begun(Handling handling);

  /** The handling is settled, or left to the watcher. */
  void ended(Handling handling);
}
