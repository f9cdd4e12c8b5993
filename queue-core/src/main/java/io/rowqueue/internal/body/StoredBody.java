package io.rowqueue.internal.body;

import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.BodyUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Streams a payload from a store. */
final class StoredBody extends BodyStream {

  private static final int PIECE_BYTES = 64 << 10;

  private final BodyStore store;
  private final String reference;
  private final byte[] sha256;
  private @Nullable InputStream in;

  StoredBody(BodyStore store, String reference, byte[] sha256) {
    this.store = store;
    this.reference = reference;
    this.sha256 = sha256;
  }

  @Override
  byte @Nullable [] more() {
    try {
      if (in == null) {
        in = store.open(reference);
      }
      byte[] bytes = in.readNBytes(PIECE_BYTES);
      return bytes.length == 0 ? null : bytes;
    } catch (NoSuchFileException e) {
      throw new BodyMissingException(
          "the store '%s' has no payload %s".formatted(store.name(), reference), e);
    } catch (IOException | RuntimeException e) {
      // A custom store may throw any exception; if the handler swallows it, it is not acked.
      throw new BodyUnavailableException(
          "the store '%s' cannot read payload %s at the moment: %s"
              .formatted(store.name(), reference, e),
          e);
    }
  }

  @Override
  byte[] sha256() {
    return sha256;
  }

  @Override
  public void close() {
    super.close();
    try (InputStream open = in) {
      in = null;
    } catch (IOException e) {
      // Harmless: the stream was only read.
      in = null;
    }
  }
}
