package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Processes one message twice, as if its first acknowledgement were lost. */
final class IdempotencyCheck {

  private final QueueDatabase database;
  private final TestWorker worker;
  private final Faults faults;
  private @Nullable TableRows once;
  private @Nullable RuntimeException failure;

  IdempotencyCheck(QueueDatabase database, TestWorker worker, Faults faults) {
    this.database = database;
    this.worker = worker;
    this.faults = faults;
  }

  void run(NewMessage message, List<Supplier<?>> outside) {
    MessageId id = database.queue().enqueue(message);
    faults.listen(context -> poll(context, id));
    faults.arm(Fault.CRASH_AFTER_HANDLER);
    try {
      expectCrash(worker.runOnce(), id);
    } finally {
      faults.listen(null);
    }
    List<String> outsideOnce = texts(outside);
    worker.reap();
    List<HandledMessage> again = worker.runOnce();
    if (again.stream().noneMatch(each -> each.id().equals(id))) {
      throw new AssertionError(
          "message %s should have been handled again, and not %s".formatted(id, again));
    }
    compare(rows(null, id), outsideOnce, texts(outside), again);
  }

  private void expectCrash(List<HandledMessage> first, MessageId id) {
    if (failure != null) {
      throw failure;
    }
    if (once == null || !TestWorker.hasCrashed(first)) {
      throw new AssertionError(
          "message %s should have been handled, and its handler did not return: %s; the queue has:%n%s"
              .formatted(id, first, database.queue().poll()));
    }
  }

  /**
   * Reads in the handler's transaction, if there is one, since its writes are not visible
   * elsewhere.
   */
  private void poll(HandlerContext context, MessageId id) {
    if (!context.id().equals(id)) {
      return;
    }
    try {
      Connection own;
      try {
        own = context.connection();
      } catch (IllegalStateException e) {
        own = null;
      }
      once = rows(own, id);
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private TableRows rows(@Nullable Connection own, MessageId id) {
    try {
      if (own != null) {
        return TableRows.read(own, id);
      }
      try (Connection connection = database.connect()) {
        return TableRows.read(connection, id);
      }
    } catch (SQLException e) {
      throw new TestServerException("the tables cannot be read: " + e.getMessage(), e);
    }
  }

  private void compare(
      TableRows twice, List<String> outsideOnce, List<String> outsideTwice, List<?> again) {
    TableRows first = once;
    List<String> differences =
        new ArrayList<>(first == null ? List.of() : first.differences(twice));
    for (int i = 0; i < outsideOnce.size(); i++) {
      if (!outsideOnce.get(i).equals(outsideTwice.get(i))) {
        differences.add(
            "outside: after one handling %s, after two %s"
                .formatted(outsideOnce.get(i), outsideTwice.get(i)));
      }
    }
    if (!differences.isEmpty()) {
      throw new AssertionError(
          "the handler is not idempotent; handled again, since its first acknowledgement was lost (%s), it leaves:%n  %s"
              .formatted(again, String.join("\n  ", differences)));
    }
  }

  private static List<String> texts(List<Supplier<?>> outside) {
    return outside.stream().map(each -> String.valueOf(each.get())).toList();
  }
}
