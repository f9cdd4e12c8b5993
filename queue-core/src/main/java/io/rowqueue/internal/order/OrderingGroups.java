package io.rowqueue.internal.order;

import java.util.Map;
import org.jooq.DSLContext;

/**
 * What those say who take messages out of their lines without having handled them, in the
 * transaction in which they do, behind whatever locks messages. Who is next, a worker's look finds
 * out within a second.
 */
public final class OrderingGroups {

  private OrderingGroups() {}

  /** The message {@code id} has left {@code line}. */
  public static void left(DSLContext dsl, OrderingGroup line, long id) {
    leftAll(dsl, Map.of(id, line));
  }

  /** The same for several, by their ids. */
  public static void leftAll(DSLContext dsl, Map<Long, OrderingGroup> left) {
    if (!left.isEmpty()) {
      JooqOrderingGroups.leave(dsl, left);
    }
  }

  /**
   * The message {@code id} has become a dead letter: it holds {@code line}, unless its topic says
   * otherwise, or has room for several of a line.
   */
  public static void skipDeadLetter(DSLContext dsl, OrderingGroup line, long id) {
    if (JooqOrderingGroups.skips(dsl, line.topic())) {
      JooqOrderingGroups.mark(dsl, Map.of(id, line));
    }
  }
}
