package io.rowqueue.internal.handle;

import io.rowqueue.QueueException;
import io.rowqueue.internal.body.BodyStream;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.handle.Invocation.StreamedPayload;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The payloads passed to a handler. Streams are closed when it returns and checked for
 * completeness: a message whose body was missing or damaged is not acked, whatever the handler did.
 * Confined to the handler's thread.
 */
final class OpenPayloads {

  private final List<BodyStream> streams = new ArrayList<>(0);

  /** The argument for the handler of {@code call}. */
  Object open(Invocation call) {
    if (!(call.payload() instanceof StreamedPayload streamed)) {
      return call.payload();
    }
    InputStream opened = streamed.open();
    if (opened instanceof BodyStream body) {
      streams.add(body);
    }
    return opened;
  }

  /** Runs {@code handler}, and closes the payloads afterwards. */
  void during(Runnable handler) {
    if (streams.isEmpty()) {
      handler.run();
      return;
    }
    WorkFailure thrown = null;
    try {
      handler.run();
    } catch (WorkFailure e) {
      thrown = e;
    } finally {
      streams.forEach(BodyStream::close);
    }
    QueueException unread = failure();
    if (unread != null) {
      throw new WorkFailure(unread);
    }
    if (thrown != null) {
      throw thrown;
    }
  }

  private @Nullable QueueException failure() {
    for (BodyStream stream : streams) {
      if (stream.failure() != null) {
        return stream.failure();
      }
    }
    return null;
  }
}
