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
 * A payload as its handler reads it, piece by piece: no more than one is in memory. It remembers
 * that it could not be read to the end, or was damaged, since the handler may swallow that. Not
 * thread-safe.
 */
public abstract class BodyStream extends InputStream {

  private static final byte[] NONE = {};

  private final MessageDigest digest = Sha256.digest();
  private byte[] piece = NONE;
  private int at;
  private boolean ended;
  private boolean closed;
  private @Nullable QueueException failure;

  /** For those of this room. */
  BodyStream() {}

  /**
   * One of bytes that are held as a whole, such as a test's.
   *
   * @param bytes asked when somebody reads; throws {@link BodyMissingException} if they are gone
   */
  public static BodyStream of(Supplier<byte[]> bytes) {
    return new BytesStream(bytes);
  }

  /**
   * The next bytes, at least one; null behind the last.
   *
   * @throws BodyMissingException if they are not there
   * @throws BodyUnavailableException if they cannot be read just now
   */
  abstract byte @Nullable [] more();

  /** What the digest of all of them should be, once {@link #more} has said null; null: unknown. */
  abstract byte @Nullable [] sha256();

  /** Why it could not be read to its end; null if it could, or nobody tried. */
  public final @Nullable QueueException failure() {
    return failure;
  }

  /** The next bytes for who has no use for a stream; the exceptions are those of {@link #more}. */
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
          "the external payload is not the one that was written: its SHA-256 is another");
    }
  }

  /** Whether there is a byte to be read; false at the end. */
  private boolean fill() throws IOException {
    if (closed) {
      throw new IOException("the stream is closed; a message's payload is gone with its handling");
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

  /** A payload that is at hand as a whole, if it is still there when somebody reads it. */
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
