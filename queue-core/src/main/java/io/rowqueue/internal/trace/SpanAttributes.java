package io.rowqueue.internal.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of attributes, and the trace context in headers. */
public final class SpanAttributes {

  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> TOPIC = AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.type");
  static final AttributeKey<String> MESSAGE = AttributeKey.stringKey("messaging.message.id");
  static final AttributeKey<Long> MESSAGES = AttributeKey.longKey("messaging.batch.message_count");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("rowqueue.attempt");
  static final String ROWQUEUE = "rowqueue";

  private static final TextMapGetter<Map<String, String>> HEADERS = new HeaderGetter();

  private SpanAttributes() {}

  /** The trace context in {@code headers}; the root context if there is none. */
  public static Context contextOf(Map<String, String> headers, OpenTelemetry telemetry) {
    return telemetry
        .getPropagators()
        .getTextMapPropagator()
        .extract(Context.root(), headers, HEADERS);
  }

  private static final class HeaderGetter implements TextMapGetter<Map<String, String>> {

    @Override
    public @Nullable String get(@Nullable Map<String, String> headers, String name) {
      return headers == null ? null : headers.get(name);
    }
  }
}
