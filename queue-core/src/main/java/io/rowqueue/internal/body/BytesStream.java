package io.rowqueue.internal.body;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A payload that is at hand as a whole, if it is still there when somebody reads it. */
final class BytesStream extends BodyStream {

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
