package io.rowqueue.tests.process;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where the build put what runs in processes of its own. */
public final class Checkout {

  private Checkout() {}

  /** The top of the checkout: these classes lie in {@code tests/queue-proof/target}, jar or not. */
  public static Path home() {
    return codeOf(Checkout.class).resolve("../../../..").normalize();
  }

  /** The shipped worker. */
  public static Path workerJar() {
    return home().resolve("queue-worker/target/queue-worker.jar");
  }

  /** The Java that runs this. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** The jar or the folder that a class comes from. */
  static Path codeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
