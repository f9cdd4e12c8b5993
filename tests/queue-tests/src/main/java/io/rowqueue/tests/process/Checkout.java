package io.rowqueue.tests.process;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the build put what runs in processes of its own. */
public final class Checkout {

  private Checkout() {}

  /** The root of the checkout: these classes are somewhere below it, in a jar or not. */
  public static Path home() {
    Path folder = codeOf(Checkout.class);
    while (!Files.isDirectory(folder.resolve("queue-worker"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException(codeOf(Checkout.class) + " is in no checkout");
      }
    }
    return folder;
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
