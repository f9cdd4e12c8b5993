package io.rowqueue.spring;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerBuilder;
import io.rowqueue.worker.internal.PoolSizeCheck;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;
import tools.jackson.databind.json.JsonMapper;

/** Configures a {@link QueueTemplate}, and a worker if the application has handlers. */
@AutoConfiguration(
    afterName = {
      // Boot 3
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
      // Boot 4
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
    })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = "rowqueue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RowQueueProperties.class)
public class RowQueueAutoConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(RowQueueAutoConfiguration.class);

  /** Lets every transaction manager tell {@link QueueTemplate} when its transactions commit. */
  @Bean
  static BeanPostProcessor rowQueueTransactionObserver() {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
          manager.addListener(AfterCommit.LISTENER);
        }
        return bean;
      }
    };
  }

  /** The queue's data source, checked or migrated. */
  @Bean
  @DependsOnDatabaseInitialization
  QueueDataSource rowQueueDataSource(ListableBeanFactory beans, RowQueueProperties properties) {
    DataSource chosen =
        bean(beans, DataSource.class, "rowqueue.data-source", properties.dataSource());
    DataSource target =
        chosen instanceof TransactionAwareDataSourceProxy proxy
                && proxy.getTargetDataSource() != null
            ? proxy.getTargetDataSource()
            : chosen;
    switch (properties.schema()) {
      case MIGRATE -> Migrator.migrate(target);
      case VALIDATE -> QueueSchema.of(Transactions.on(target)).check();
      case NONE -> LOG.debug("RowQueue's tables are not checked");
    }
    return new QueueDataSource(target);
  }

  /** A bean of type DataSource would be a second one. */
  record QueueDataSource(DataSource target) {}

  /** JSON by the application's mapper of Jackson 2, if it has one. */
  @Bean
  @ConditionalOnMissingBean
  PayloadCodec rowQueueCodec(ObjectProvider<ObjectMapper> mappers) {
    try {
      ObjectMapper mapper = mappers.getIfAvailable();
      return mapper == null ? PayloadCodec.json() : PayloadCodec.json(mapper);
    } catch (NoUniqueBeanDefinitionException e) {
      throw new IllegalStateException(
          "payloads could be encoded by several beans of type ObjectMapper: %s; mark one of them as primary, or define a PayloadCodec bean"
              .formatted(e.getBeanNamesFound()));
    }
  }

  /** The producer under {@link QueueTemplate}. */
  @Bean
  @ConditionalOnMissingBean
  MessageProducer rowQueueProducer(PayloadCodec codec) {
    return MessageProducer.create(codec, MessageLimits.defaults());
  }

  /** Notifies workers over the application's data source, on a thread of its own. */
  @Bean
  @ConditionalOnMissingBean
  WorkerNotifier rowQueueNotifier(QueueDataSource source) {
    return WorkerNotifier.over(source.target());
  }

  /** Enqueues in Spring's transactions. */
  @Bean
  @ConditionalOnMissingBean
  QueueTemplate queueTemplate(
      MessageProducer producer, WorkerNotifier notifier, QueueDataSource source) {
    return new QueueTemplate(producer, notifier, source.target());
  }

  /**
   * The worker, which starts if there are handlers. Spring 6 destroys the beans of a context whose
   * start fails, but does not stop them.
   */
  @Bean(destroyMethod = "stop")
  @ConditionalOnProperty(name = "rowqueue.worker.enabled", matchIfMissing = true)
  ApplicationWorker rowQueueWorker(
      ConfigurableListableBeanFactory beans,
      Environment environment,
      RowQueueProperties properties,
      QueueDataSource source) {
    boolean virtual =
        environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
            && Runtime.version().feature() >= 21;
    return new ApplicationWorker(
        beans, properties.worker(), () -> builder(beans, properties, source.target(), virtual));
  }

  /** Connections of the worker itself; its handlers have those of the application's pool. */
  @Bean
  @Lazy
  @ConditionalOnProperty("rowqueue.worker.dedicated-pool")
  WorkerPool rowQueueWorkerPool(RowQueueProperties properties, QueueDataSource source) {
    return new WorkerPool(
        dedicatedPool(
            source.target(), properties.worker().threads() + PoolSizeCheck.IN_ADDITION_TO_THREADS));
  }

  /** Closed after the worker has stopped. A bean of type DataSource would be a second one. */
  record WorkerPool(HikariDataSource pool) implements AutoCloseable {

    @Override
    public void close() {
      pool.close();
    }
  }

  private static HikariDataSource dedicatedPool(DataSource source, int size) {
    HikariDataSource application;
    try {
      application = source.unwrap(HikariDataSource.class);
    } catch (SQLException e) {
      throw new InvalidConfigurationPropertyValueException(
          "rowqueue.worker.dedicated-pool",
          true,
          "it takes the settings of a pool of HikariCP, and the data source is none");
    }
    HikariDataSource pool = new FollowingPool(application);
    application.copyStateTo(pool);
    pool.setPoolName("rowqueue-worker");
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(1);
    pool.setLeakDetectionThreshold(0); // the worker keeps two connections
    return pool;
  }

  /** Asks the application's pool for the account at each new connection: a password may change. */
  private static final class FollowingPool extends HikariDataSource {

    private final HikariDataSource application;

    FollowingPool(HikariDataSource application) {
      this.application = application;
    }

    @Override
    public Credentials getCredentials() {
      return application.getCredentials();
    }

    @Override
    public String getUsername() {
      return application.getUsername();
    }

    @Override
    public String getPassword() {
      return application.getPassword();
    }
  }

  private static WorkerBuilder builder(
      ConfigurableListableBeanFactory beans,
      RowQueueProperties properties,
      DataSource source,
      boolean virtual) {
    TransactionManagerDataSource connections =
        new TransactionManagerDataSource(
            manager(beans, properties.transactionManager(), source), source);
    connections.check();
    WorkerPool dedicated = beans.getBeanProvider(WorkerPool.class).getIfAvailable();
    if (dedicated != null) {
      beans.registerDependentBean("rowQueueWorkerPool", "rowQueueWorker"); // destroyed before it
    }
    WorkerBuilder builder =
        Worker.builder(dedicated == null ? source : dedicated.pool())
            .handlerConnections(connections);
    if (virtual) {
      builder.handlerThreads(new VirtualThreadTaskExecutor().getVirtualThreadFactory());
    }
    beans.getBeanProvider(MeterRegistry.class).ifUnique(builder::meters);
    return addBeans(beans, builder);
  }

  /** What workers and tests of the application have in common. */
  static WorkerBuilder addBeans(ListableBeanFactory beans, WorkerBuilder builder) {
    builder.codec(beans.getBean(PayloadCodec.class));
    builder.interceptor(new ThreadContext());
    beans
        .getBeanProvider(ObservationRegistry.class)
        .ifUnique(registry -> builder.interceptor(observing(registry)));
    beans.getBeanProvider(HandlerInterceptor.class).orderedStream().forEach(builder::interceptor);
    beans.getBeanProvider(Schedule.class).orderedStream().forEach(builder::schedule);
    return builder;
  }

  private static HandlerInterceptor observing(ObservationRegistry registry) {
    return (context, next) ->
        Observation.createNotStarted("rowqueue.handle", registry)
            .contextualName(context.topic() + " process")
            .lowCardinalityKeyValue("topic", context.topic().toString())
            .highCardinalityKeyValue("message", context.id().toString())
            .observeChecked(next::proceed);
  }

  /** The named one; or the only one that manages {@code source}; or the primary one. */
  static PlatformTransactionManager manager(
      ListableBeanFactory beans, @Nullable String name, DataSource source) {
    if (name == null) {
      List<PlatformTransactionManager> managing =
          beans
              .getBeanProvider(PlatformTransactionManager.class)
              .orderedStream()
              .filter(manager -> source == dataSource(manager))
              .toList();
      if (managing.size() == 1) {
        return managing.get(0);
      }
    }
    return bean(beans, PlatformTransactionManager.class, "rowqueue.transaction-manager", name);
  }

  /** Those of JDBC, JPA and Hibernate have this method, and no type in common. */
  private static @Nullable Object dataSource(PlatformTransactionManager manager) {
    Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
    return getter == null ? null : ReflectionUtils.invokeMethod(getter, manager);
  }

  private static <T> T bean(
      ListableBeanFactory beans, Class<T> type, String property, @Nullable String name) {
    if (name != null && beans.containsBean(name) && beans.isTypeMatch(name, type)) {
      return beans.getBean(name, type);
    }
    T unique = name == null ? beans.getBeanProvider(type).getIfUnique() : null;
    if (unique == null) {
      throw new InvalidConfigurationPropertyValueException(
          property,
          name,
          "it must name one of the beans of type %s, unless one of them is primary: %s"
              .formatted(type.getSimpleName(), String.join(", ", beans.getBeanNamesForType(type))));
    }
    return unique;
  }

  /** Boot 4 has Jackson 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "tools.jackson.databind.json.JsonMapper")
  @ConditionalOnBean(type = "tools.jackson.databind.json.JsonMapper")
  static class Jackson3Configuration {

    @Bean
    @ConditionalOnMissingBean(PayloadCodec.class)
    PayloadCodec rowQueueJackson3Codec(JsonMapper mapper) {
      return new Jackson3Codec(mapper);
    }
  }
}
