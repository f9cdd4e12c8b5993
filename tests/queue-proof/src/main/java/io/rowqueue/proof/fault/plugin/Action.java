package io.rowqueue.proof.fault.plugin;

import io.rowqueue.PayloadVersion;
import io.rowqueue.handler.Upcasters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The payload of most messages of the fault harness: what its handler is to do. */
public record Action(Ending ending, int millis, @Nullable String filler) {

  /** One that ends well. */
  public static Action succeeding(int millis) {
    return new Action(Ending.SUCCEED, millis, null);
  }

  /** How a handling ends. */
  public enum Ending {
    SUCCEED,
    FAIL_ONCE,
    FAIL,
    REJECT,
    /** The first claim fails permanently; redriven, it succeeds. */
    REJECT_ONCE,
    /** The first claim is released. */
    RELEASE,
    ERROR,
    /** The first attempt ignores interrupts and runs on until its connection is cut. */
    HANG,
    CLOSE,
    COMMIT,
    ROLL_BACK,
    /** The first attempt keeps its connection and uses it when its handling is over. */
    LEAK,
    /** The first attempt swallows a lock wait timeout, and returns. */
    SWALLOW_TIMEOUT,
    /** The first attempt swallows a deadlock, and returns. */
    SWALLOW_DEADLOCK,
    /** The first attempt leaves its session and thread changed, and returns. */
    LEAVE_CHANGES,
    KILL
  }

  /** The second version of an {@link Action}. */
  @PayloadVersion(2)
  public record Version2(Ending ending, int micros, int size) {

    private static final int MICROS_PER_MILLI = 1_000;

    static Upcasters upcasters() {
      return Upcasters.to(Version2.class)
          .from(
              1,
              tree -> {
                Number millis = (Number) Objects.requireNonNull(tree.remove("millis"));
                Object filler = tree.remove("filler");
                tree.put("micros", millis.intValue() * MICROS_PER_MILLI);
                tree.put("size", filler == null ? 0 : filler.toString().length());
              });
    }

    Action asAction() {
      return new Action(ending, micros / MICROS_PER_MILLI, null);
    }
  }

  /**
   * What a handler adds to its batch; only that handling knows the token, so that what a rolled
   * back one has added cannot be mistaken for another's.
   */
  public record Part(String token) {}

  /** A step of a chain. */
  public record Step(String chain, int number) {}
}
