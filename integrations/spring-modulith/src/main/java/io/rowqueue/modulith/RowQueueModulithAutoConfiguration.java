package io.rowqueue.modulith;

import io.rowqueue.spring.QueueTemplate;
import io.rowqueue.spring.RowQueueAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.ExternalizationMode;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;

/** Enqueues externalized events if {@code spring.modulith.events.externalization.mode=outbox}. */
@AutoConfiguration(
    after = {EventExternalizationAutoConfiguration.class, RowQueueAutoConfiguration.class})
@ConditionalOnProperty(name = ExternalizationMode.PROPERTY, havingValue = "outbox")
@ConditionalOnBean({QueueTemplate.class, EventExternalizationConfiguration.class})
public class RowQueueModulithAutoConfiguration {

  @Bean
  EnqueuedEvents rowQueueEnqueuedEvents(
      QueueTemplate queue, EventExternalizationConfiguration configuration, BeanFactory beans) {
    StandardEvaluationContext context = new StandardEvaluationContext();
    context.setBeanResolver(new BeanFactoryResolver(beans));
    return new EnqueuedEvents(queue, configuration, context);
  }
}
