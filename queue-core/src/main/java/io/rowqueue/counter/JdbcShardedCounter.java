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
 * Deadlocks. An UPDATE that has waited for its slot, and then finds too little in it, keeps the row
 * locked, in READ COMMITTED too. Two takes that each hold such a row and go on to lock all slots in
 * order deadlock. So a take tries a single slot only if the cache (Remembered) shows that there is
 * enough; otherwise it holds no lock yet when it locks all of them.
 *
 * A read before every take would avoid the deadlock, too, but costs a round trip; a read that only
 * checks whether most slots have enough does not see concurrent takes, and did deadlock.
 *
 * A refusal takes no locks if a read without locks shows too little, which was true at that moment.
 * The result is cached, so that takes that come too late for a sold-out article do not queue for locks.
 *
 * An INSERT of an existing key leaves it locked in shared mode, and a transaction that then writes it
 * waits for all others that tried. So a counter is looked up before it is created.
 */
final class JdbcShardedCounter implements ShardedCounter {

  private static final int LONGEST_NAME = 128;

  /** Above this the cache is cleared, at the cost of one read per counter. */
  private static final int MOST_REMEMBERED = 10_000;

  private final Map<String, Remembered> memory = new ConcurrentHashMap<>();

  @Override
  public boolean make(Connection transaction, String name, int shards) {
    checkSlots(shards);
    return in(
        transaction,
        name,
        rows -> {
          boolean first = !rows.exist() && rows.insertFirst();
          if (first) {
            rows.insert(1, shards);
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
   * All slots are locked and have {@code amounts}. The new amounts are not cached: other
   * transactions see them only after the commit, and a rollback would make the cache claim more
   * than a slot has.
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
  public void reshard(Connection transaction, String name, int shards) {
    checkSlots(shards);
    in(
        transaction,
        name,
        rows -> {
          List<Long> amounts = rows.lock();
          long sum = sum(name, amounts);
          rows.insert(amounts.size(), shards);
          rows.delete(shards);
          rows.evenOut(shards, sum);
          memory.remove(name);
          return shards;
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

  /** Null if the counter must be read. */
  private @Nullable Remembered known(String name) {
    Remembered known = memory.get(name);
    if (known != null && known.isOld()) {
      memory.remove(name, known);
      return null;
    }
    return known;
  }

  /**
   * Caches the read, unless another thread has cached one since {@code before}: takes that relied
   * on that one may be newer than this read.
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
            "the connection is in auto-commit mode, so counter '%s' would not be part of your transaction; call setAutoCommit(false) first"
                .formatted(name));
      }
      return work.apply(new CounterShards(transaction, name));
    } catch (SQLException e) {
      throw new CounterException(
          "counter '%s' could not be changed or read: %s%s; roll the transaction back"
              .formatted(name, e.getMessage(), ServerAnswer.advice(e)),
          e);
    }
  }

  private static void checkAmount(long amount) {
    if (amount < 1) {
      throw new IllegalArgumentException("the amount must be at least 1, not " + amount);
    }
  }

  private static void checkSlots(int shards) {
    if (shards < 1 || shards > MOST_SLOTS) {
      throw new IllegalArgumentException(
          "a counter has 1 to %,d slots, not %,d".formatted(MOST_SLOTS, shards));
    }
  }

  private static void checkName(String name) {
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          "a counter's name has 1 to %d characters, but this one has %d"
              .formatted(LONGEST_NAME, name.length()));
    }
    if (!name.chars().allMatch(character -> character >= ' ' && character <= '~')
        || !name.equals(name.strip())) {
      throw new IllegalArgumentException(
          "counter '%s' has a character outside printable ASCII, or a space at an end; use letters, digits and . - _ /"
              .formatted(name));
    }
  }

  /** The limits of a take: at least {@code least}, or nothing, and at most {@code most}. */
  private record ShardCount(long least, long most) {

    long of(long sum) {
      return sum < least ? 0 : Math.min(most, sum);
    }
  }
}
