package io.rowqueue.modulith;

import io.rowqueue.NewMessage;
import io.rowqueue.spring.QueueTemplate;
import java.util.Map;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.expression.EvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.core.ConditionalEventListener;
import org.springframework.modulith.events.support.BrokerRouting;

/**
 * Enqueues each event that the application externalizes, in the transaction that publishes it. The
 * routing target is the topic, the routing key the ordering key. Expressions and headers are those
 * of the event, also if it is mapped to another payload. Thread-safe.
 */
final class EnqueuedEvents
    implements ApplicationListener<PayloadApplicationEvent<?>>, ConditionalEventListener {

  private final QueueTemplate queue;
  private final EventExternalizationConfiguration configuration;
  private final EvaluationContext context;

  EnqueuedEvents(
      QueueTemplate queue,
      EventExternalizationConfiguration configuration,
      EvaluationContext context) {
    this.queue = queue;
    this.configuration = configuration;
    this.context = context;
  }

  @Override
  public boolean supports(Object event) {
    return configuration.supports(event);
  }

  /** On another thread it would be another transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  @Override
  public void onApplicationEvent(PayloadApplicationEvent<?> published) {
    Object event = published.getPayload();
    if (!supports(event)) {
      return; // only Modulith's multicaster asks before
    }
    RoutingTarget target = configuration.determineTarget(event);
    BrokerRouting routing = BrokerRouting.of(target, context);
    NewMessage message = NewMessage.of(routing.getTarget(event), configuration.map(event));
    for (Map.Entry<String, Object> header : configuration.getHeadersFor(event).entrySet()) {
      Object value = header.getValue();
      if (value != null) {
        message = message.withHeader(header.getKey(), value.toString());
      }
    }
    // An expression without a key would have the target as its key.
    String key = target.getKey() == null ? null : routing.getKey(event);
    queue.enqueue(key == null ? message : message.withOrderingKey(key));
  }
}
