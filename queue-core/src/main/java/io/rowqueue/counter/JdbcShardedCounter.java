package io.rowqueue.counter;

import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.ServerAnswer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/*
 * Circles. An UPDATE that has waited for its slot, and then finds too little in it, keeps the row
 * locked, in READ COMMITTED too. Two takes that hold one such row each, and go on to lock all slots
 * in order, meet in a circle. So a take tries a slot only where it knows that there is enough
 * (Remembered); else it holds nothing yet when it locks all of them.
 *
 * A look before every take would tell as well, for a round trip more; and one that only asks whether
 * most slots have enough does not see what is under way, and met circles all the same.
 *
 * Refusals lock nothing where a look without locks shows too little, which was true at that moment;
 * and what it showed is remembered, so that those who come too late for a hot article do not stand
 * in line to hear that it is gone.
 *
 * An INSERT of a key that is there leaves it locked, shared, and whoever then writes it waits for
 * all others who tried. So a counter is looked for before it is made.
 */
final class JdbcShardedCounter implements ShardedCounter {

  private static final int LONGEST_NAME = 128;

  /** Above this the memory begins anew, at the price of a look for each counter. */
  private static final int MOST_REMEMBERED = 10_000;

  private final Map<String, Remembered> memory = new ConcurrentHashMap<>();

  @Override
  public boolean make(Connection transaction, String name, int slots) {
    checkSlots(slots);
    return in(
        transaction,
        name,
        rows -> {
          boolean first = !rows.exist() && rows.insertFirst();
          if (first) {
            rows.insert(1, slots);
          }
          return first;
        });
  }

  @Override
  public void add(Connection transaction, String name, long amount) {
    checkAmount(amount);
    in(
        transaction,
        name,
        rows -> {
          Remembered known = known(name);
          if (known == null) {
            known = remember(name, null, rows.read());
          }
          if (known.isMuch(amount) || !rows.change(rows.own(known.slots()), amount)) {
            changeAll(name, rows, rows.lock(), amount);
          }
          return amount;
        });
  }

  @Override
  public boolean take(Connection transaction, String name, long amount) {
    return take(transaction, name, new ShardCount(amount, amount)) > 0;
  }

  @Override
  public long takeUpTo(Connection transaction, String name, long amount) {
    return take(transaction, name, new ShardCount(1, amount));
  }

  private long take(Connection transaction, String name, ShardCount request) {
    checkAmount(request.most);
    return in(
        transaction,
        name,
        rows -> {
          Remembered known = known(name);
          if (known != null && takeFromOne(known, rows, request)) {
            return request.most;
          }
          List<Long> seen = rows.read();
          known = remember(name, known, seen);
          if (request.of(sum(name, seen)) == 0) {
            return 0L;
          }
          return takeFromOne(known, rows, request)
              ? request.most
              : takeFromAll(name, rows, request);
        });
  }

  private static boolean takeFromOne(Remembered known, CounterShards rows, ShardCount request)
      throws SQLException {
    return known.allows(request.most) && rows.change(rows.own(known.slots()), -request.most);
  }

  private long takeFromAll(String name, CounterShards rows, ShardCount request)
      throws SQLException {
    List<Long> amounts = rows.lock();
    long taken = request.of(sum(name, amounts));
    if (taken > 0) {
      changeAll(name, rows, amounts, -taken);
    } else {
      memory.remove(name);
    }
    return taken;
  }

  /**
   * All slots are locked and hold {@code amounts}. What they hold from now on is for others to see
   * when it is committed: a rollback would make it a promise that a slot cannot keep.
   */
  private void changeAll(String name, CounterShards rows, List<Long> amounts, long delta)
      throws SQLException {
    rows.evenOut(amounts.size(), plus(name, sum(name, amounts), delta));
    memory.remove(name);
  }

  @Override
  public long sum(Connection transaction, String name) {
    return in(transaction, name, rows -> sum(name, rows.read()));
  }

  @Override
  public void spread(Connection transaction, String name, int slots) {
    checkSlots(slots);
    in(
        transaction,
        name,
        rows -> {
          List<Long> amounts = rows.lock();
          long sum = sum(name, amounts);
          rows.insert(amounts.size(), slots);
          rows.delete(slots);
          rows.evenOut(slots, sum);
          memory.remove(name);
          return slots;
        });
  }

  @Override
  public boolean delete(Connection transaction, String name) {
    return in(
        transaction,
        name,
        rows -> {
          memory.remove(name);
          return rows.delete(0) > 0;
        });
  }

  /** Null if it has to be looked for. */
  private @Nullable Remembered known(String name) {
    Remembered known = memory.get(name);
    if (known != null && known.isOld()) {
      memory.remove(name, known);
      return null;
    }
    return known;
  }

  /**
   * Unless somebody else has remembered another look since {@code before}: what was taken on the
   * strength of that one may be younger than what this one saw.
   */
  private Remembered remember(String name, @Nullable Remembered before, List<Long> amounts) {
    if (memory.size() >= MOST_REMEMBERED) {
      memory.clear();
    }
    Remembered seen = Remembered.of(amounts);
    return memory.merge(name, seen, (there, mine) -> there == before ? mine : there);
  }

  private static long sum(String name, List<Long> amounts) {
    long sum = 0;
    for (long amount : amounts) {
      sum = plus(name, sum, amount);
    }
    return sum;
  }

  private static long plus(String name, long one, long other) {
    try {
      return Math.addExact(one, other);
    } catch (ArithmeticException e) {
      throw new CounterException(
          "counter '%s' would hold more than %,d".formatted(name, Long.MAX_VALUE), e);
    }
  }

  private static <T> T in(
      Connection transaction, String name, CheckedFunction<CounterShards, T> work) {
    checkName(name);
    try {
      if (transaction.getAutoCommit()) {
        throw new IllegalStateException(
            "the connection commits by itself, so counter '%s' would not share your transaction's fate; call setAutoCommit(false) first"
                .formatted(name));
      }
      return work.apply(new CounterShards(transaction, name));
    } catch (SQLException e) {
      throw new CounterException(
          "counter '%s' could not be used: %s%s; roll the transaction back"
              .formatted(name, e.getMessage(), ServerAnswer.advice(e)),
          e);
    }
  }

  private static void checkAmount(long amount) {
    if (amount < 1) {
      throw new IllegalArgumentException("the amount must be at least 1, not " + amount);
    }
  }

  private static void checkSlots(int slots) {
    if (slots < 1 || slots > MOST_SLOTS) {
      throw new IllegalArgumentException(
          "a counter has 1 to %,d slots, not %,d".formatted(MOST_SLOTS, slots));
    }
  }

  private static void checkName(String name) {
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a counter's name has 1 to %d characters, and this one %d"
              .formatted(LONGEST_NAME, name.length()));
    }
    if (!name.chars().allMatch(character -> character >= ' ' && character <= '~')
        || !name.equals(name.strip())) {
      throw new IllegalArgumentException(
          "counter '%s' has a character outside printable ASCII, or a space at an end; use letters, digits and . - _ /"
              .formatted(name));
    }
  }

  /** What somebody wants to take: nothing below {@code least}, and not more than {@code most}. */
  private record ShardCount(long least, long most) {

    long of(long sum) {
      return sum < least ? 0 : Math.min(most, sum);
    }
  }
}
