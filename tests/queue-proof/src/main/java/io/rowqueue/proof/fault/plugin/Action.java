package io.rowqueue.proof.fault.plugin;

import io.rowqueue.message.PayloadVersion;
import io.rowqueue.message.Upcasters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The payload of most messages of the fault harness: what its handler is to do.
 *
 * @param ending how its handling ends, once its effect is written
 * @param millis how long it takes
 * @param filler makes the payload as large as it should be
 */
public record Action(Ending ending, int millis, @Nullable String filler) {

  /** One that ends well. */
  public static Action succeeding(int millis) {
    return new Action(Ending.SUCCEED, millis, null);
  }

  /** How a handling ends. */
  public enum Ending {
    /** Well. */
    SUCCEED,
    /** The first attempt fails. */
    FAIL_ONCE,
    /** Every attempt fails. */
    FAIL,
    /** Every attempt fails permanently. */
    REJECT,
    /** The first claim fails permanently; redriven, it succeeds. */
    REJECT_ONCE,
    /** The first claim is released. */
    RELEASE,
    /** The first attempt throws an {@link Error}. */
    ERROR,
    /** The first attempt ignores interrupts and runs on until its connection is cut. */
    HANG,
    /** The first attempt closes its connection. */
    CLOSE,
    /** The first attempt calls commit. */
    COMMIT,
    /** The first attempt calls rollback. */
    ROLL_BACK,
    /** The first attempt keeps its connection and uses it when its handling is over. */
    LEAK,
    /** The first attempt swallows a lock wait timeout, and returns. */
    SWALLOW_TIMEOUT,
    /** The first attempt swallows a deadlock, and returns. */
    SWALLOW_DEADLOCK,
    /** Every attempt ends the process. */
    KILL
  }

  /**
   * The second version of an {@link Action}.
   *
   * @param ending how its handling ends, once its effect is written
   * @param micros how long it takes
   * @param size how long the filler was, which is left out now
   */
  @PayloadVersion(2)
  public record Version2(Ending ending, int micros, int size) {

    private static final int MICROS_PER_MILLI = 1_000;

    /** From the first version, which producers still write. */
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
   *
   * @param token of this part, and of no other
   */
  public record Part(String token) {}

  /**
   * A step of a chain.
   *
   * @param chain as its producer calls it
   * @param number from 1
   */
  public record Step(String chain, int number) {}
}
