package io.rowqueue.internal.handle;

import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Wrapping.Wrapped;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes handlers' results. A failure here is permanent: the next attempt would fail, too, and
 * repeat the handler's external effects. Thread-safe.
 */
final class ResultEncoding {

  private final Wrapping wrapping;

  ResultEncoding(Wrapping wrapping) {
    this.wrapping = wrapping;
  }

  /**
   * Encodes {@code value}, the result of the handler of {@code call}.
   *
   * @throws PermanentFailure if it cannot be encoded, or is too large
   */
  HandlerResult encode(
      Invocation call, @Nullable Object value, PayloadCodec codec, ResultPolicy policy) {
    Topic topic = call.claim().topic();
    String waiter = call.headers().get(Headers.WAITER);
    if (value == null) {
      return new HandlerResult(null, null, policy.keepFor(), waiter);
    }
    Wrapped wrapped = wrapping.wrapResult(topic, encoded(value, codec));
    int bytes = wrapped.payload().length;
    if (bytes > policy.mostBytes()) {
      throw new PermanentFailure(
          ("the result has %,d bytes, but the binding of '%s' allows at most %,d; return less, or a"
                  + " reference, or raise the limit by withResults(keepFor, mostBytes)")
              .formatted(bytes, topic, policy.mostBytes()));
    }
    String mark = wrapped.mark();
    String headers = mark == null ? null : Headers.toJson(Map.of(Headers.WRAPPED, mark));
    return new HandlerResult(headers, wrapped.payload(), policy.keepFor(), waiter);
  }

  private static byte[] encoded(Object value, PayloadCodec codec) {
    try {
      return codec.encode(value);
    } catch (PayloadException e) {
      throw new PermanentFailure("the result cannot be encoded: " + e.getMessage(), e);
    } catch (Exception | StackOverflowError e) {
      throw new PermanentFailure("the codec failed on the result: " + e, e);
    }
  }
}
