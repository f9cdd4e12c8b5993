package io.rowqueue.internal.database;

import java.time.Duration;
import java.time.Instant;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * The only clock that decides who owns what and when: the server's, in UTC whatever the session's
 * zone. These are expressions for statements, not values.
 */
public final class DatabaseClock {

  /**
   * By how much the clocks of one cluster's servers may differ. What was written at a time that
   * lies further ahead was written by a clock that was wrong, and has been set back since.
   */
  public static final Duration MOST_APART = Duration.ofSeconds(10);

  private static final DataType<Instant> TYPE =
      SQLDataType.LOCALDATETIME(6).asConvertedDataType(new UtcInstantBinding());

  private static final Field<Instant> NOW = DSL.field("UTC_TIMESTAMP(6)", TYPE);

  private DatabaseClock() {}

  /** Now, to the microsecond. */
  public static Field<Instant> now() {
    return NOW;
  }

  /** Now and {@code delay} more, to the microsecond. */
  public static Field<Instant> after(Duration delay) {
    return DSL.field("UTC_TIMESTAMP(6) + INTERVAL {0} MICROSECOND", TYPE, DSL.val(micros(delay)));
  }

  /** Now less {@code time}, to the microsecond. */
  public static Field<Instant> before(Duration time) {
    return DSL.field("UTC_TIMESTAMP(6) - INTERVAL {0} MICROSECOND", TYPE, DSL.val(micros(time)));
  }

  /** The column type of an instant, for expressions that jOOQ cannot infer it for. */
  public static DataType<Instant> type() {
    return TYPE;
  }

  /**
   * {@code delay} as the servers count it, in whole microseconds.
   *
   * @throws ArithmeticException if it is longer than 292,000 years
   */
  public static long micros(Duration delay) {
    return Math.addExact(
        Math.multiplyExact(delay.getSeconds(), 1_000_000L), delay.getNano() / 1_000L);
  }
}
