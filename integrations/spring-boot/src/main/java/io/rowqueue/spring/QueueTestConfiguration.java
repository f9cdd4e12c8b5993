package io.rowqueue.spring;

import com.google.inject.Module;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import io.rowqueue.testkit.InlineProducer;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestQueue;
import io.rowqueue.testkit.TestWorker;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerBuilder;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.function.SingletonSupplier;

/** The beans of {@link QueueTest}. */
@Configuration(proxyBeanMethods = false)
class QueueTestConfiguration {

  @Bean
  @Lazy
  TestWorker rowQueueTestWorker(
      ConfigurableListableBeanFactory beans,
      RowQueueProperties properties,
      QueueDataSource source) {
    return TestWorker.of(
        source.target(), inTransactions(beans, properties, source), bindings(beans, source));
  }

  @Bean
  @Lazy
  QueueDatabase rowQueueTestDatabase(QueueDataSource source) {
    return QueueDatabase.of(new TransactionAwareDataSourceProxy(source.target()));
  }

  @Bean
  @Lazy
  TestQueue rowQueueTestQueue(QueueDatabase database) {
    return database.queue();
  }

  private static DataSource inTransactions(
      ConfigurableListableBeanFactory beans,
      RowQueueProperties properties,
      QueueDataSource source) {
    return new TransactionManagerDataSource(
        RowQueueAutoConfiguration.manager(beans, properties.transactionManager(), source.target()),
        source.target());
  }

  private static Module bindings(ConfigurableListableBeanFactory beans, QueueDataSource source) {
    WorkerBuilder builder =
        RowQueueAutoConfiguration.addBeans(beans, Worker.builder(source.target()));
    new HandlerBeans(beans).bindAll(builder);
    beans
        .getBeanProvider(WorkerCustomizer.class)
        .orderedStream()
        .forEach(customizer -> customizer.customize(builder));
    return builder.bindings();
  }

  /** Chooses the configuration that a test class asks for. */
  static final class Selector implements ImportSelector {

    @Override
    public String[] selectImports(AnnotationMetadata testClass) {
      return testClass.getAnnotations().get(QueueTest.class).getBoolean("inline")
          ? new String[] {QueueTestConfiguration.class.getName(), Inline.class.getName()}
          : new String[] {QueueTestConfiguration.class.getName()};
    }

    /**
     * Handles in the transaction that enqueues. In a configuration it would always be imported,
     * too.
     */
    @Configuration(proxyBeanMethods = false)
    static class Inline {

      /** Handlers may enqueue, and so they are created after this bean. */
      @Bean
      QueueTemplate rowQueueInlineTemplate(
          ConfigurableListableBeanFactory beans,
          RowQueueProperties properties,
          QueueDataSource source) {
        return new QueueTemplate(
            SingletonSupplier.of(
                () ->
                    InlineProducer.of(QueueDatabase.of(source.target()), bindings(beans, source))),
            WorkerNotifier.SILENT,
            source.target(),
            inTransactions(beans, properties, source));
      }
    }
  }
}
