package io.rowqueue.spring.shop;

import io.rowqueue.spring.RowQueueHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** A handler that holds its message until the test releases it. */
@Component
@Profile("blocking")
public class Blocking {

  private final Writer writer;
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  Blocking(Writer writer) {
    this.writer = writer;
  }

  @RowQueueHandler("block")
  void handle(String name) throws InterruptedException {
    begun.countDown();
    await(released);
    writer.write(Writer.Way.JPA, name);
  }

  /** Returns when a handler runs. */
  public void awaitBegun() throws InterruptedException {
    await(begun);
  }

  /** Lets the handler end. */
  public void release() {
    released.countDown();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("never");
    }
  }
}
