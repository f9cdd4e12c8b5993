package io.rowqueue.testkit;

import java.util.concurrent.CountDownLatch;

/** Starts a server, says so, and waits to be killed. */
public final class ServerMain {

  private ServerMain() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) throws InterruptedException {
    EmbeddedMariaDb server = EmbeddedMariaDb.start();
    System.out.println("user " + TestServer.of(server).isMariaDb());
    System.out.println("pid " + server.pid());
    new CountDownLatch(1).await();
  }
}
