package io.rowqueue.spring;

import java.util.Set;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Creates the beans of Spring Boot's jOOQ only in applications that use them. RowQueue brings the
 * library, whose presence alone switches Boot 3's configuration on, and that fails in an
 * application with several data sources or transaction managers of which none is primary.
 */
@AutoConfiguration
public class LazyJooqAutoConfiguration {

  private static final Set<String> CONFIGURATIONS =
      Set.of(
          // Boot 3
          "org.springframework.boot.autoconfigure.jooq.JooqAutoConfiguration",
          // Boot 4
          "org.springframework.boot.jooq.autoconfigure.JooqAutoConfiguration");

  @Bean
  static BeanFactoryPostProcessor rowQueueLazyJooq() {
    return beans -> {
      for (String name : beans.getBeanDefinitionNames()) {
        BeanDefinition bean = beans.getBeanDefinition(name);
        String configuration = bean.getFactoryBeanName();
        if (configuration != null && CONFIGURATIONS.contains(configuration)) {
          bean.setLazyInit(true);
        }
      }
    };
  }
}
