package io.rowqueue.internal.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.spi.KeysetSource;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Zstd;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A team that has not got the optional libraries is told so, and can do all else. */
class LibraryTest {

  /** Sees the class path without the two libraries. */
  private static final class Without extends URLClassLoader {

    Without() {
      super(classPath(), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] classPath() {
      return Arrays.stream(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
          .filter(entry -> !isLibrary(Path.of(entry).getFileName().toString()))
          .map(Without::url)
          .toArray(URL[]::new);
    }

    private static boolean isLibrary(String jar) {
      return jar.startsWith("zstd-jni") || jar.startsWith("tink");
    }

    private static URL url(String entry) {
      try {
        return Path.of(entry).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }
  }

  /** What a team's module calls. */
  static final class Team {

    private Team() {}

    static void compresses() {
      Zstd.above(1_024);
    }

    static void reads() {
      Zstd.reader();
    }

    static void seals() {
      Sealed.with(KeysetSource.file(Path.of("keys.json")));
    }
  }

  private static Throwable thrownBy(String call) throws Exception {
    try (Without without = new Without()) {
      Method method = without.loadClass(Team.class.getName()).getDeclaredMethod(call);
      method.setAccessible(true);
      method.invoke(null);
      throw new AssertionError(call + " threw nothing");
    } catch (InvocationTargetException e) {
      return e.getTargetException();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "compresses, com.github.luben:zstd-jni",
    "reads, com.github.luben:zstd-jni",
    "seals, com.google.crypto.tink:tink"
  })
  void wrapper_withoutItsLibrary_namesIt(String call, String library) throws Exception {
    assertThat(thrownBy(call))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(library + " is not on the class path");
  }

  @Test
  void unused_neitherLibraryIsNeeded() throws Exception {
    try (Without without = new Without()) {
      Class<?> wrapping = without.loadClass(Wrapping.class.getName());
      assertThat(wrapping.getMethod("none").invoke(null)).isNotNull();
      assertThat(without.loadClass("io.rowqueue.spi.Deflate").getMethod("reader").invoke(null))
          .isNotNull();
      assertThat(without.loadClass("io.rowqueue.MessageProducer").getMethod("create").invoke(null))
          .isNotNull();
      for (String user : new String[] {"QueueCoreModule", "internal.handle.HandlerPipeline"}) {
        assertThat(Class.forName("io.rowqueue." + user, true, without)).isNotNull();
      }
      assertThatThrownBy(() -> without.loadClass("com.google.crypto.tink.Aead"))
          .isInstanceOf(ClassNotFoundException.class);
    }
  }
}
