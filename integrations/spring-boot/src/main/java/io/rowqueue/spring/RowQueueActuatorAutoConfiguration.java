package io.rowqueue.spring;

import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Actuator's health contributor {@code rowqueue} and endpoint {@code rowqueue}. */
@AutoConfiguration(after = RowQueueAutoConfiguration.class)
@ConditionalOnClass(Endpoint.class)
@ConditionalOnBean(QueueDataSource.class)
public class RowQueueActuatorAutoConfiguration {

  @Bean
  QueueState rowQueueState(QueueDataSource source, ObjectProvider<ApplicationWorker> workers) {
    return new QueueState(source, workers);
  }

  /** The endpoint, if Actuator exposes it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
  static class EndpointConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    RowQueueEndpoint rowQueueEndpoint(QueueState state) {
      return new RowQueueEndpoint(state);
    }
  }

  /** Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = {
        "org.springframework.boot.actuate.health.HealthIndicator",
        "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
      })
  static class Boot3HealthConfiguration {

    @Bean("rowqueueHealthIndicator")
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator(
        "rowqueue")
    org.springframework.boot.actuate.health.HealthIndicator indicator(QueueState state) {
      return () -> {
        String trouble = state.trouble();
        return trouble == null
            ? org.springframework.boot.actuate.health.Health.up().build()
            : org.springframework.boot.actuate.health.Health.down()
                .withDetail("reason", trouble)
                .build();
      };
    }
  }

  /** Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name =
          "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator")
  static class Boot4HealthConfiguration {

    @Bean("rowqueueHealthIndicator")
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator(
        "rowqueue")
    org.springframework.boot.health.contributor.HealthIndicator indicator(QueueState state) {
      return () -> {
        String trouble = state.trouble();
        return trouble == null
            ? org.springframework.boot.health.contributor.Health.up().build()
            : org.springframework.boot.health.contributor.Health.down()
                .withDetail("reason", trouble)
                .build();
      };
    }
  }
}
