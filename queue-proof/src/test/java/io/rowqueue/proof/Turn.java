package io.rowqueue.proof;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Keeps a class whose tests take the whole machine from meeting such a class of another run of the
 * tests beside this one. The property {@code rowqueue.test.turn} names a file that all runs lock
 * for it; without the property nobody waits.
 */
public final class Turn implements BeforeAllCallback, AfterAllCallback {

  private @Nullable FileChannel file;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    String path = System.getProperty("rowqueue.test.turn", "");
    if (!path.isEmpty()) {
      file = FileChannel.open(Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      var unused = file.lock();
    }
  }

  /** The lock goes with its file. */
  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
