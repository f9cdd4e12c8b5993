package io.rowqueue.internal.body;

import io.rowqueue.QueueException;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Streams a payload to its handler. Holds one piece in memory. Remembers that a read failed or that
 * the payload is damaged, because the handler may swallow the exception. Not thread-safe.
 */
public abstract class BodyStream extends InputStream {

  private static final byte[] NONE = {};

  private final MessageDigest digest = Sha256.digest();
  private byte[] piece = NONE;
  private int at;
  private boolean ended;
  private boolean closed;
  private @Nullable QueueException failure;

  /** Only this package has subclasses. */
  BodyStream() {}

  /**
   * Streams bytes that are held in memory as a whole, for example by a test.
   *
   * @param bytes called at the first read; throws {@link BodyMissingException} if they are missing
   */
  public static BodyStream of(Supplier<byte[]> bytes) {
    return new BytesStream(bytes);
  }

  /**
   * Reads the next bytes, at least one; null at the end.
   *
   * @throws BodyMissingException if they are missing
   * @throws BodyUnavailableException if they cannot be read at the moment
   */
  abstract byte @Nullable [] more();

  /** The expected digest, once {@link #more} has returned null; null if it is unknown. */
  abstract byte @Nullable [] sha256();

  /** The exception that the first failed read threw; null if none has failed. */
  public final @Nullable QueueException failure() {
    return failure;
  }

  /** Reads the next bytes and updates the digest; null at the end. Throws as {@link #more}. */
  final byte @Nullable [] next() {
    if (failure != null) {
      throw failure;
    }
    try {
      byte[] bytes = ended ? null : more();
      if (bytes == null) {
        end();
      } else {
        digest.update(bytes);
      }
      return bytes;
    } catch (BodyMissingException | BodyUnavailableException e) {
      failure = e;
      throw e;
    }
  }

  private void end() {
    byte[] expected = ended ? null : sha256();
    ended = true;
    if (expected != null && !MessageDigest.isEqual(expected, digest.digest())) {
      throw new BodyMissingException(
          "the external payload is damaged: its SHA-256 is not that of the payload that was"
              + " written");
    }
  }

  /** Loads the next piece if the current one is used up; false at the end. */
  private boolean fill() throws IOException {
    if (closed) {
      throw new IOException(
          "the stream is closed; a payload can be read only while its message is handled");
    }
    try {
      while (at == piece.length) {
        byte[] bytes = next();
        if (bytes == null) {
          return false;
        }
        piece = bytes;
        at = 0;
      }
      return true;
    } catch (QueueException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public final int read() throws IOException {
    return fill() ? piece[at++] & 0xff : -1;
  }

  @Override
  public final int read(byte[] to, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, to.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, piece.length - at);
    System.arraycopy(piece, at, to, from, count);
    at += count;
    return count;
  }

  @Override
  public final int available() {
    return piece.length - at;
  }

  @Override
  public void close() {
    closed = true;
    piece = NONE;
    at = 0;
  }

  private static final class BytesStream extends BodyStream {

    private final Supplier<byte[]> bytes;
    private boolean given;

    BytesStream(Supplier<byte[]> bytes) {
      this.bytes = bytes;
    }

    @Override
    byte @Nullable [] more() {
      if (given) {
        return null;
      }
      given = true;
      byte[] all = bytes.get();
      return all.length == 0 ? null : all;
    }

    @Override
    byte @Nullable [] sha256() {
      return null;
    }
  }
}
