package io.rowqueue.spring;

import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import jakarta.servlet.Servlet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Serves the dashboard in a servlet application, if {@code rowqueue.dashboard.enabled} is set. */
@AutoConfiguration(after = RowQueueAutoConfiguration.class)
@ConditionalOnClass(Servlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("rowqueue.dashboard.enabled")
@ConditionalOnBean(QueueDataSource.class)
public class RowQueueDashboardAutoConfiguration {

  @Bean
  ServletRegistrationBean<DashboardServlet> rowQueueDashboard(
      RowQueueProperties properties, QueueDataSource source) {
    String path = properties.dashboard().path();
    ServletRegistrationBean<DashboardServlet> registration =
        new ServletRegistrationBean<>(
            new DashboardServlet(source.target(), path), path, path + "/*");
    registration.setName("rowqueue-dashboard");
    return registration;
  }
}
