package io.rowqueue.internal.enqueue;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the plain messages of concurrent callers with few auto-committed INSERTs. While few
 * messages are being sent, a caller writes its own at once. Otherwise it waits, and the first that
 * waits writes one group of all who do. An INSERT that hangs, as on a lock or a dead connection,
 * delays other callers by about two seconds. Thread-safe.
 */
final class GroupCommit {

  /**
   * INSERTs at once, and messages that are sent without waiting. The server itself combines their
   * commits, and four callers reach the rate of plain INSERTs only so.
   */
  private static final int MOST_WRITERS = 4;

  private static final int MOST_MESSAGES = 200;

  /** Of one call, and a part of {@link MultiRowInsert#SURE_BYTES}: a large call delays others. */
  private static final long MOST_BYTES_OF_A_CALL = MultiRowInsert.SURE_BYTES / 8;

  /** Longer than an INSERT takes, or the opening of its connection, unless it hangs. */
  private static final long HANGING_NANOS = Duration.ofSeconds(2).toNanos();

  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  private final Deque<Call> waiting = new ArrayDeque<>();
  private int waitingMessages;

  /** The callers that write, except those whose INSERTs hang. */
  private final List<Call> writers = new ArrayList<>();

  /**
   * The caller that has been told to write a group and has not taken it yet; ignored once it is not
   * among the writers.
   */
  private @Nullable Call forming;

  /**
   * The plain messages of a caller. Its thread reads the result once {@code phase} is {@code DONE}.
   */
  static final class Call {

    private final List<EncodedMessage> messages;
    private final Map<Topic, Integer> dueNow;
    private final long bytes;
    private final Thread thread = Thread.currentThread();
    private volatile Phase phase = Phase.WAITING;

    /** Of a writer, as {@link System#nanoTime()}. */
    private long began;

    /** Of a writer: the messages of its group. */
    private int sent;

    private @Nullable List<Long> ids;
    private @Nullable Throwable unknown;

    /**
     * A call of the current thread.
     *
     * @param dueNow the number of messages of each topic to notify workers of
     */
    Call(List<EncodedMessage> messages, Map<Topic, Integer> dueNow) {
      this.messages = messages;
      this.dueNow = dueNow;
      this.bytes = MultiRowInsert.packetBytes(messages);
    }

    /** The ids in the messages' order; null if nothing was written. */
    @Nullable List<Long> ids() {
      if (unknown != null) {
        throw new CommitOutcomeUnknownException(String.valueOf(unknown.getMessage()), unknown);
      }
      return ids;
    }

    private boolean mayJoin() {
      return messages.size() <= MOST_MESSAGES
          && bytes <= MOST_BYTES_OF_A_CALL
          && !thread.isInterrupted();
    }

    private void isDone() {
      phase = Phase.DONE;
      LockSupport.unpark(thread);
    }
  }

  private enum Phase {
    WAITING,
    /** This caller writes the next group. */
    WRITES,
    /** Another caller writes its messages. */
    TAKEN,
    DONE
  }

  /**
   * Writes the messages of {@code call}.
   *
   * @param groups the groups of this data source, by where their messages go: a data source may
   *     lead each thread elsewhere
   * @return the ids in the messages' order; null if nothing was written and the caller must use a
   *     transaction
   * @throws CommitOutcomeUnknownException if the connection failed after the INSERT was sent
   */
  static @Nullable List<Long> write(
      DataSource dataSource,
      Map<AutoCommitSession, GroupCommit> groups,
      Call call,
      WorkerNotifier notifier) {
    Connection connection = open(dataSource);
    if (connection == null) {
      return null;
    }
    GroupCommit group;
    AutoCommitSession session;
    try {
      session = session(connection);
      if (session == null) {
        return null;
      }
      group = groups.computeIfAbsent(session, unused -> new GroupCommit());
      if (!call.mayJoin()) {
        insert(List.of(call), connection);
        notifyWorkers(List.of(call), connection, notifier);
        return call.ids();
      }
      if (group.begins(call)) {
        group.writeGroup(group.take(call), connection, notifier);
        return call.ids();
      }
    } finally {
      // Callers that wait hold no connection.
      Transactions.close(connection);
    }
    group.await(call, () -> group.lead(dataSource, session, call, notifier));
    return call.ids();
  }

  /** Null if that fails: the caller's transaction repeats it. */
  private static @Nullable Connection open(DataSource dataSource) {
    try {
      return dataSource.getConnection();
    } catch (SQLException | RuntimeException e) {
      return null;
    }
  }

  private static @Nullable AutoCommitSession session(Connection connection) {
    try {
      return AutoCommitSession.of(connection);
    } catch (SQLException | RuntimeException e) {
      return null;
    }
  }

  /** Whether {@code call} writes at once; otherwise it waits from now on. */
  private synchronized boolean begins(Call call) {
    waiting.add(call);
    waitingMessages += call.messages.size();
    beginNext();
    return call.phase == Phase.WRITES;
  }

  /**
   * Begins the next INSERT if few messages are being sent, or no more than wait: about half of the
   * callers wait while the others are written. Without this rule, each caller that comes while none
   * waits would send an INSERT of its own: 3 messages each instead of 8 with 16 callers.
   */
  private synchronized void beginNext() {
    long now = System.nanoTime();
    writers.removeIf(writer -> now - writer.began >= HANGING_NANOS);
    int sent = writers.stream().mapToInt(writer -> writer.sent).sum();
    boolean isGroupSmall = sent >= MOST_WRITERS && waitingMessages < sent;
    boolean isDue = writers.isEmpty() || (writers.size() < MOST_WRITERS && !isGroupSmall);
    boolean isForming = forming != null && writers.contains(forming);
    Call next = isDue && !isForming ? waiting.poll() : null;
    if (next != null) {
      forming = next;
      writers.add(next);
      next.began = now;
      next.sent = next.messages.size();
      waitingMessages -= next.sent;
      next.phase = Phase.WRITES;
      LockSupport.unpark(next.thread);
    }
  }

  /** Returns when {@code call} is done, if need be by {@code lead}. */
  private void await(Call call, Runnable lead) {
    boolean interrupted = false;
    try {
      while (call.phase != Phase.DONE) {
        if (call.phase == Phase.WRITES) {
          lead.run();
        } else {
          LockSupport.parkNanos(this, HANGING_NANOS);
          if (call.phase == Phase.WAITING) {
            beginNext();
          }
        }
        if (Thread.interrupted()) {
          interrupted = true;
          withdraw(call);
        }
      }
    } finally {
      if (interrupted) {
        call.thread.interrupt();
      }
    }
  }

  private synchronized void withdraw(Call call) {
    if (waiting.remove(call)) {
      waitingMessages -= call.messages.size();
      call.phase = Phase.DONE;
    }
  }

  private void lead(
      DataSource dataSource, AutoCommitSession session, Call call, WorkerNotifier notifier) {
    Connection connection = open(dataSource);
    if (connection == null) {
      disband(call);
      return;
    }
    try {
      if (session.equals(session(connection))) {
        writeGroup(take(call), connection, notifier);
      } else {
        disband(call);
      }
    } finally {
      Transactions.close(connection);
    }
  }

  /** Takes {@code first} and the calls after it that fit in one INSERT. */
  private synchronized List<Call> take(Call first) {
    if (forming == first) {
      forming = null;
    }
    List<Call> group = new ArrayList<>(List.of(first));
    int messages = first.messages.size();
    long bytes = first.bytes;
    for (Call next = waiting.peek(); next != null; next = waiting.peek()) {
      messages += next.messages.size();
      bytes += next.bytes;
      if (messages > MOST_MESSAGES || bytes > MultiRowInsert.SURE_BYTES) {
        break;
      }
      waiting.remove();
      waitingMessages -= next.messages.size();
      first.sent += next.messages.size();
      next.phase = Phase.TAKEN;
      group.add(next);
    }
    return group;
  }

  private void writeGroup(List<Call> group, Connection connection, WorkerNotifier notifier) {
    try {
      insert(group, connection);
    } finally {
      end(group.get(0));
      group.forEach(Call::isDone);
    }
    notifyWorkers(group, connection, notifier);
  }

  private synchronized void end(Call writer) {
    writers.remove(writer);
    beginNext();
  }

  /**
   * Without a connection for {@code leader}, every caller tries by itself, and at the same time.
   */
  private synchronized void disband(Call leader) {
    writers.remove(leader);
    leader.isDone();
    waiting.forEach(Call::isDone);
    waiting.clear();
    waitingMessages = 0;
  }

  /** If the server refuses the INSERT, nothing is written, and each caller tries by itself. */
  private static void insert(List<Call> group, Connection connection) {
    List<EncodedMessage> messages = group.stream().flatMap(call -> call.messages.stream()).toList();
    try {
      List<Long> ids = new MultiRowInsert(connection).insertAndCommit(messages);
      int from = 0;
      for (Call call : group) {
        call.ids = ids.subList(from, from + call.messages.size());
        from += call.messages.size();
      }
    } catch (SQLException e) {
      LOG.debug("an INSERT of {} calls was refused: {}", group.size(), e.getMessage());
    } catch (RuntimeException | Error e) {
      group.forEach(call -> call.unknown = e);
      if (e instanceof Error error) {
        throw error;
      }
    }
  }

  private static void notifyWorkers(
      List<Call> group, Connection connection, WorkerNotifier notifier) {
    AfterCommit stored = new AfterCommit(notifier);
    group.stream()
        .filter(call -> call.ids != null)
        .forEach(call -> call.dueNow.forEach(stored::onEnqueued));
    stored.committed(connection);
  }
}
