package io.rowqueue.spring;

import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import jakarta.servlet.Servlet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Serves the dashboard in a servlet application, if {@code rowqueue.dashboard.enabled} is set. If
 * it uses the management port, {@link ManagementDashboardConfiguration} serves it.
 */
@AutoConfiguration(after = RowQueueAutoConfiguration.class)
@ConditionalOnClass(Servlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("rowqueue.dashboard.enabled")
@ConditionalOnBean(QueueDataSource.class)
@Conditional(RowQueueDashboardAutoConfiguration.OnApplicationPort.class)
public class RowQueueDashboardAutoConfiguration {

  @Bean
  ServletRegistrationBean<DashboardServlet> rowQueueDashboard(
      RowQueueProperties properties, ObjectProvider<QueueDataSource> source) {
    return registration(properties.dashboard(), source);
  }

  /** Registers the dashboard under its path of the server in whose context the bean is. */
  static ServletRegistrationBean<DashboardServlet> registration(
      RowQueueProperties.Dashboard properties, ObjectProvider<QueueDataSource> source) {
    String path = properties.path();
    ServletRegistrationBean<DashboardServlet> registration =
        new ServletRegistrationBean<>(
            new DashboardServlet(() -> source.getObject().target(), properties), path, path + "/*");
    registration.setName("rowqueue-dashboard");
    return registration;
  }

  /** Matches unless the dashboard uses the management port, and that is another one or disabled. */
  static class OnApplicationPort extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      boolean moved =
          context
                  .getEnvironment()
                  .getProperty("rowqueue.dashboard.use-management-port", Boolean.class, false)
              && ClassUtils.isPresent(
                  "org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType",
                  context.getClassLoader())
              && ManagementPortType.get(context.getEnvironment()) != ManagementPortType.SAME;
      return moved
          ? ConditionOutcome.noMatch("the dashboard uses the management port")
          : ConditionOutcome.match("the dashboard uses the application's port");
    }
  }
}
