package io.rowqueue.testkit;

import io.rowqueue.worker.Migrator;

/** Migrates the schema of the system property {@code schema.url}. */
public final class MigrateMain {

  private MigrateMain() {}

  /** Takes no arguments. */
  public static void main(String[] arguments) {
    String url = System.getProperty("schema.url", "");
    System.out.println("result " + Migrator.migrate(new UrlDataSource(url)));
  }
}
