package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.spi.BodyStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link BodyStore}, for teams that implement one, such as on an object
 * store.
 */
public interface BodyStoreContract {

  /** Returns the test's only store, empty before the test. */
  BodyStore store();

  @Test
  default void body_writtenOnce_canBeReadRepeatedly() throws IOException {
    for (int length : new int[] {0, 1, 700_000}) {
      String reference = write(length);
      assertThat(reference).matches("[!-~]{1,255}");
      for (int i = 0; i < 2; i++) {
        try (InputStream in = store().open(reference)) {
          assertThat(in.readAllBytes()).isEqualTo(bytes(length));
        }
      }
    }
  }

  @Test
  default void body_deleted_isMissing_andCanBeDeletedAgain() throws IOException {
    String reference = write(10);
    String other = write(10);
    assertThat(other).isNotEqualTo(reference);
    store().delete(reference);
    store().delete(reference);
    assertThatThrownBy(() -> store().open(reference)).isInstanceOf(NoSuchFileException.class);
    try (InputStream in = store().open(other)) {
      assertThat(in.readAllBytes()).hasSize(10);
    }
  }

  @Test
  default void body_whoseStreamFails_isNotStored() throws IOException {
    InputStream breaking =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("broken");
          }

          @Override
          public int read(byte[] to, int from, int length) throws IOException {
            throw new IOException("broken");
          }
        };
    assertThatThrownBy(() -> store().write(breaking)).hasMessageContaining("broken");
    try (Stream<String> all = store().olderThan(Duration.ZERO)) {
      assertThat(all).isEmpty();
    }
  }

  /** A store with its own lifecycle rules lists none. */
  @Test
  default void bodies_listed_exist() throws IOException {
    List<String> references = List.of(write(1), write(2));
    store().delete(write(3));
    try (Stream<String> all = store().olderThan(Duration.ZERO)) {
      assertThat(all).isSubsetOf(references);
    }
  }

  @Test
  default void name_fitsItsColumn() {
    assertThat(store().name()).matches("[!-~]{1,32}");
  }

  private String write(int length) throws IOException {
    return store().write(new ByteArrayInputStream(bytes(length)));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
