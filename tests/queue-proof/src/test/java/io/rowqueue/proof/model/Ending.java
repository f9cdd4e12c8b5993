package io.rowqueue.proof.model;

import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.handle.ReleaseMessage;
import io.rowqueue.handle.RetryAfter;
import java.time.Duration;

/** How a handler that stands still shall end. */
enum Ending {
  RETURN("returns"),
  FAIL("fails"),
  FAIL_FOR_GOOD("fails for good"),
  GIVE_BACK("gives the message back"),
  RETRY_LATER("names the time of its retry"),
  CRASH("crashes");

  static final Duration GIVEN_BACK_FOR = Duration.ofSeconds(3);
  static final Duration RETRIED_AFTER = Duration.ofSeconds(7);

  private final String words;

  Ending(String words) {
    this.words = words;
  }

  /** What the handler does, on its own thread. */
  void end() {
    switch (this) {
      case RETURN -> {}
      case FAIL -> throw new Failed();
      case FAIL_FOR_GOOD -> throw new PermanentFailure("never");
      case GIVE_BACK -> throw new ReleaseMessage(GIVEN_BACK_FOR, "not now");
      case RETRY_LATER -> throw new RetryAfter(RETRIED_AFTER, "later");
      case CRASH -> throw new Crash();
    }
  }

  /** The error that a failed attempt leaves, as class and message. */
  String error() {
    return switch (this) {
      case FAIL -> Failed.class.getName() + ": failed";
      case FAIL_FOR_GOOD -> PermanentFailure.class.getName() + ": never";
      case RETRY_LATER -> RetryAfter.class.getName() + ": later";
      case RETURN, GIVE_BACK, CRASH -> throw new IllegalStateException(this + " is no failure");
    };
  }

  @Override
  public String toString() {
    return words;
  }

  /** A handler's failure, without a trace, which nobody would read. */
  private static final class Failed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Failed() {
      super("failed", null, false, false);
    }
  }
}
