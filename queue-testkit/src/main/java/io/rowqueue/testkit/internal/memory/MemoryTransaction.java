package io.rowqueue.testkit.internal.memory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jooq.tools.jdbc.MockExecuteContext;
import org.jooq.tools.jdbc.MockResult;

/**
 * The uncommitted changes of a connection. It answers RowQueue's own savepoints, the statement that
 * finds it behind wrapped connections, and those of {@link MemoryAnswers}; other statements are
 * answered by the test, or rejected.
 */
final class MemoryTransaction implements MockDataProvider {

  /** No server has this table, so that a real server rejects the statement. */
  private static final String WHO = "UPDATE rowqueue_in_memory SET who = ?";

  private static final int NO_SUCH_SAVEPOINT = 1305;

  private final Memory memory;
  private final List<Change> changes = new ArrayList<>();
  private final Map<String, Integer> savepoints = new LinkedHashMap<>();

  MemoryTransaction(Memory memory) {
    this.memory = memory;
  }

  /** A write that takes effect when it is committed. */
  interface Change {

    /** Commits. */
    void commit();

    /** Rolls back. */
    default void undo() {}
  }

  /**
   * Returns the transaction of {@code connection}.
   *
   * @throws SQLException if the connection does not belong to {@code memory}, or is broken
   */
  static MemoryTransaction of(Connection connection, Memory memory) throws SQLException {
    long ticket = memory.newTicket();
    try (PreparedStatement who = connection.prepareStatement(WHO)) {
      who.setLong(1, ticket);
      who.executeUpdate();
    }
    MemoryTransaction found = memory.takeTicket(ticket);
    if (found == null) {
      throw new SQLException("the connection does not belong to this queue in memory");
    }
    return found;
  }

  void add(Change change) {
    changes.add(change);
  }

  void commit() {
    synchronized (memory) {
      changes.forEach(Change::commit);
      changes.clear();
      savepoints.clear();
    }
  }

  void rollback() {
    synchronized (memory) {
      rollbackTo(0);
      savepoints.clear();
    }
  }

  private void rollbackTo(int size) {
    while (changes.size() > size) {
      Change last = changes.remove(changes.size() - 1);
      if (memory.rules.undoes()) {
        last.undo();
      } else {
        last.commit();
      }
    }
  }

  /** Runs {@code call}; a failure undoes all of its changes. */
  <T> T whole(Supplier<T> call) {
    int before = changes.size();
    try {
      return call.get();
    } catch (RuntimeException e) {
      rollbackTo(before);
      throw e;
    }
  }

  void savepoint(String name) {
    savepoints.remove(name);
    savepoints.put(name, changes.size());
  }

  void rollbackTo(String name) throws SQLException {
    synchronized (memory) {
      rollbackTo(known(name));
    }
  }

  void release(String name) throws SQLException {
    known(name);
    savepoints.remove(name);
  }

  private int known(String name) throws SQLException {
    Integer size = savepoints.get(name);
    if (size == null) {
      throw new SQLException("SAVEPOINT " + name + " does not exist", "42000", NO_SUCH_SAVEPOINT);
    }
    return size;
  }

  @Override
  public MockResult[] execute(MockExecuteContext context) throws SQLException {
    String sql = context.sql();
    if (sql.equals(WHO)) {
      memory.showTicket(((Number) context.bindings()[0]).longValue(), this);
      return done(1);
    }
    if (runSavepoint(sql.strip())) {
      return done(0);
    }
    MockResult own = memory.ownAnswers.to(context);
    if (own != null) {
      return new MockResult[] {own};
    }
    MockDataProvider answers = memory.answers();
    if (answers != null) {
      return answers.execute(context);
    }
    String refusal = "a queue in memory has no database: " + sql;
    memory.refused("sent SQL, and " + refusal);
    throw new SQLException(refusal);
  }

  private boolean runSavepoint(String sql) throws SQLException {
    String[] words = sql.split("\\s+", -1);
    String verb = words[0].toUpperCase(Locale.ROOT);
    String name = words[words.length - 1];
    if (words.length < 2 || !sql.toUpperCase(Locale.ROOT).contains("SAVEPOINT")) {
      return false;
    }
    switch (verb) {
      case "SAVEPOINT" -> savepoint(name);
      case "RELEASE" -> release(name);
      case "ROLLBACK" -> rollbackTo(name);
      default -> {
        return false;
      }
    }
    return true;
  }

  private static MockResult[] done(int rows) {
    return new MockResult[] {new MockResult(rows)};
  }

  /** Returns its changes of {@code kind}, in order. */
  <T extends Change> List<T> ofKind(Class<T> kind) {
    return changes.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Its content is not printed. */
  @Override
  public String toString() {
    return "MemoryTransaction[" + changes.size() + " changes]";
  }
}
