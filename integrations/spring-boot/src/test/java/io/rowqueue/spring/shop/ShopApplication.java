package io.rowqueue.spring.shop;

import io.rowqueue.spring.QueueTemplate;
import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** An application as its users write them. */
@SpringBootApplication
public class ShopApplication {

  /** Starts it as a process of its own. */
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }

  @Bean
  SqlSessionFactoryBean sessions(DataSource dataSource) {
    SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
    factory.setDataSource(dataSource);
    return factory;
  }

  @Bean
  MapperFactoryBean<ItemMapper> mapper(SqlSessionFactory sessions) {
    sessions.getConfiguration().addMapper(ItemMapper.class);
    MapperFactoryBean<ItemMapper> mapper = new MapperFactoryBean<>(ItemMapper.class);
    mapper.setSqlSessionFactory(sessions);
    return mapper;
  }

  @Bean
  Listeners listeners(QueueTemplate queue) {
    return new Listeners(queue);
  }

  /** An event of the application. */
  public record Placed(String topic) {}

  /** Listens to events of transactions. */
  public static class Listeners {

    private final QueueTemplate queue;

    Listeners(QueueTemplate queue) {
      this.queue = queue;
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    void afterCommit(Placed placed) {
      queue.enqueue(placed.topic(), "after");
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
    void afterRollback(Placed placed) {
      queue.enqueue(placed.topic(), "rolled-back");
    }

    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void afterCommitInAnother(PlacedInAnother placed) {
      queue.enqueue(placed.topic(), "another");
    }
  }

  /** An event whose listener has a transaction. */
  public record PlacedInAnother(String topic) {}
}
