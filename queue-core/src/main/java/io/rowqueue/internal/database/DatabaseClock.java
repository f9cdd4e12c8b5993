package io.rowqueue.internal.database;

import java.time.Duration;
import java.time.Instant;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * The only clock for ownership and due times: the server's, in UTC whatever the session's time
 * zone. These are expressions for statements, not values.
 */
public final class DatabaseClock {

  /**
   * The assumed maximum difference between the clocks of a cluster's servers. A stored time that is
   * further in the future was written by a wrong clock that was set back since.
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

  /** Now plus {@code delay}, to the microsecond. */
  public static Field<Instant> after(Duration delay) {
    return DSL.field(
        "UTC_TIMESTAMP(6) + INTERVAL {0} MICROSECOND", TYPE, DSL.val(Jdbc.micros(delay)));
  }

  /** Now minus {@code time}, to the microsecond. */
  public static Field<Instant> before(Duration time) {
    return DSL.field(
        "UTC_TIMESTAMP(6) - INTERVAL {0} MICROSECOND", TYPE, DSL.val(Jdbc.micros(time)));
  }

  /** The column type of an instant, for expressions whose type jOOQ cannot infer. */
  public static DataType<Instant> type() {
    return TYPE;
  }
}
