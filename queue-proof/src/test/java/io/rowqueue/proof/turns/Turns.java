package io.rowqueue.proof.turns;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Gives each test class its turn: shared with others, or {@link Alone}. By locks on files of the
 * build's folder, so that it holds between JVMs, and a turn ends with its JVM. Found by JUnit
 * itself.
 */
public final class Turns implements BeforeAllCallback {

  private static final Path FOLDER = Path.of("target");

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      boolean alone = context.getRequiredTestClass().isAnnotationPresent(Alone.class);
      context
          .getStore(Namespace.create(Turns.class, context.getUniqueId()))
          .put(Turn.class, Turn.take(alone));
    }
  }

  /** JUnit closes it behind the class. */
  private record Turn(FileChannel file, FileLock lock) implements AutoCloseable {

    /** Whoever waits to be alone waits in the door, so that nobody new gets in before. */
    static Turn take(boolean alone) throws IOException {
      FileChannel file = open("turn.lock");
      try (FileChannel door = open("door.lock");
          FileLock mine = door.lock()) {
        return new Turn(file, file.lock(0, Long.MAX_VALUE, !alone));
      } catch (IOException e) {
        file.close();
        throw e;
      }
    }

    private static FileChannel open(String name) throws IOException {
      return FileChannel.open(
          Files.createDirectories(FOLDER).resolve(name),
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    }

    @Override
    public void close() throws IOException {
      lock.release();
      file.close();
    }
  }
}
