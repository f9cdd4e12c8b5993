package io.rowqueue.spring.shop;

import io.rowqueue.spring.RowQueueHandler;

/** A handler method that classes of other packages inherit and cannot override. */
public abstract class PackagePrivate {

  @RowQueueHandler("a")
  void handle(String payload) {}
}
