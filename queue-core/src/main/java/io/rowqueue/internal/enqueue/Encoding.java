package io.rowqueue.internal.enqueue;

import io.rowqueue.MessageLimits;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;

/**
 * What a producer makes of payloads before it writes them.
 *
 * @param place of those that do not belong into their rows
 */
public record Encoding(
    PayloadCodec codec, Wrapping wrapping, MessageLimits limits, BodyPolicy place) {

  Encoding withWrapping(Wrapping other) {
    return new Encoding(codec, other, limits, place);
  }

  Encoding storing(BodyStore store, long from) {
    return new Encoding(codec, wrapping, limits, new BodyPolicy(store, from));
  }
}
