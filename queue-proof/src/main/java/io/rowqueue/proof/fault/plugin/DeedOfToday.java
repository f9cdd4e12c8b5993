package io.rowqueue.proof.fault.plugin;

import io.rowqueue.message.PayloadVersion;
import io.rowqueue.message.Upcasters;
import java.util.Objects;

/**
 * What a {@link Deed}, which is its version 1, has become.
 *
 * @param what how its handling ends, once its effect is written
 * @param micros how long it takes
 * @param size how long the filler was, which is left out now
 */
@PayloadVersion(2)
public record DeedOfToday(Deed.What what, int micros, int size) {

  private static final int MICROS_PER_MILLI = 1_000;

  /** The way from the deeds that producers still write. */
  static Upcasters upcasters() {
    return Upcasters.to(DeedOfToday.class)
        .from(
            1,
            tree -> {
              Number millis = (Number) Objects.requireNonNull(tree.remove("millis"));
              Object filler = tree.remove("filler");
              tree.put("micros", millis.intValue() * MICROS_PER_MILLI);
              tree.put("size", filler == null ? 0 : filler.toString().length());
            });
  }

  Deed asDeed() {
    return new Deed(what, micros / MICROS_PER_MILLI, null);
  }
}
