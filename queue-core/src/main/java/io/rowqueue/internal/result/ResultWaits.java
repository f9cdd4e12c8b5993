package io.rowqueue.internal.result;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.result.PendingResults.ResultReader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a process, and the two threads that serve them as soon as there are any.
 * Thread-safe.
 */
public final class ResultWaits {

  private final DataSource dataSource;
  private final PendingResults pending;
  private final ResultListener listener;
  private boolean started;

  public ResultWaits(DataSource dataSource) {
    this.dataSource = dataSource;
    this.pending = new PendingResults(new ResultReader(dataSource));
    this.listener = new ResultListener(dataSource, pending);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** The name under which workers find this process. */
  public String waiter() {
    return listener.waiter();
  }

  /** Starts listening; returns once workers can find this process, or after {@code longest}. */
  public void listen(Duration longest) throws InterruptedException {
    pending.checkOpen();
    start();
    listener.want(longest);
  }

  public CompletableFuture<ResultState.Settled> await(MessageId id) {
    start();
    listener.want();
    return pending.await(id).future();
  }

  private synchronized void start() {
    if (!started) {
      started = true;
      start("rowqueue-results-look", pending::pollUntilClosed);
      start("rowqueue-results-listener", listener::listenUntilClosed);
    }
  }

  private static void start(String name, Runnable loop) {
    Thread thread = new Thread(loop, name);
    thread.setDaemon(true);
    thread.start();
  }

  public void close() {
    pending.close();
    listener.wake();
  }

  public sealed interface ResultState {

    record InQueue() implements ResultState {}

    record Dead(String reason, String detail) implements ResultState {}

    /**
     * It was acked, with this result.
     *
     * @param headers how {@code content} is wrapped; null if it is not
     * @param content null if its handler returned null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Settled(Topic topic, @Nullable String headers, byte @Nullable [] content)
        implements ResultState {}
  }
}
