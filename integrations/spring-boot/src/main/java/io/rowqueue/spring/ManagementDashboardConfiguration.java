package io.rowqueue.spring;

import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * Serves the dashboard on a management port other than the application's, if {@code
 * rowqueue.dashboard.use-management-port} is set. Actuator loads this class into the context of
 * that port's server, to which it applies the application's Spring Security.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty({"rowqueue.dashboard.enabled", "rowqueue.dashboard.use-management-port"})
@ConditionalOnBean(QueueDataSource.class)
class ManagementDashboardConfiguration {

  @Bean
  ServletRegistrationBean<DashboardServlet> rowQueueDashboard(
      RowQueueProperties properties, ObjectProvider<QueueDataSource> source) {
    return RowQueueDashboardAutoConfiguration.registration(properties.dashboard(), source);
  }
}
