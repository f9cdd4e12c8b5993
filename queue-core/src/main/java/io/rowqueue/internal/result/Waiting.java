package io.rowqueue.internal.result;

import io.rowqueue.MessageId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;

/** The waits of a process, and the two threads that serve them once there are any. Thread-safe. */
public final class Waiting {

  private final DataSource dataSource;
  private final WaitingRoom room;
  private final WaiterListener listener;
  private boolean started;

  public Waiting(DataSource dataSource) {
    this.dataSource = dataSource;
    this.room = new WaitingRoom(new JooqResultLook(dataSource));
    this.listener = new WaiterListener(dataSource, room);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** The name by which workers find this process. */
  public String waiter() {
    return listener.waiter();
  }

  /** Listens from now on; returns once workers can know it, or after {@code longest}. */
  public void listen(Duration longest) throws InterruptedException {
    room.checkOpen();
    start();
    listener.want(longest);
  }

  /** Begins a wait. */
  public CompletableFuture<Whereabouts.Settled> await(MessageId id) {
    start();
    listener.want();
    return room.await(id).future();
  }

  private synchronized void start() {
    if (!started) {
      started = true;
      start("rowqueue-results-look", room::lookUntilClosed);
      start("rowqueue-results-listener", listener::listenUntilClosed);
    }
  }

  private static void start(String name, Runnable loop) {
    Thread thread = new Thread(loop, name);
    thread.setDaemon(true);
    thread.start();
  }

  public void close() {
    room.close();
    listener.wake();
  }
}
