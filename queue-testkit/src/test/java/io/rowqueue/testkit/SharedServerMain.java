package io.rowqueue.testkit;

import java.util.concurrent.CountDownLatch;

/** Takes the shared server, says where it is, and waits to be killed. */
public final class SharedServerMain {

  private SharedServerMain() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws InterruptedException {
    long before = System.nanoTime();
    TestServer server = TestServer.shared();
    System.out.println("millis " + (System.nanoTime() - before) / 1_000_000);
    System.out.println("url " + server.url());
    try (QueueDatabase database = QueueDatabase.create()) {
      System.out.println("messages " + database.count("SELECT COUNT(*) FROM queue_message"));
    }
    System.out.println("ready");
    new CountDownLatch(1).await();
  }
}
