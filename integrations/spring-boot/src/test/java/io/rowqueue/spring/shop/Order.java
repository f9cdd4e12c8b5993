package io.rowqueue.spring.shop;

import java.time.Instant;

/** A payload. */
public record Order(String name, Writer.Way way, Order.Then then, Instant at) {

  /** What happens after the write. */
  public enum Then {
    RETURN,
    THROW,
    SET_ROLLBACK_ONLY,
    CATCH_A_SERVICE,
    WRITE_APART_AND_THROW,
    FAIL_AFTER_COMMIT,
    ENQUEUE,
    HALT_BEFORE_COMMIT,
    HALT_AFTER_COMMIT
  }

  /** An order of now. */
  public Order(String name, Writer.Way way, Then then) {
    this(name, way, then, Instant.now());
  }
}
