package io.rowqueue.spring.example;

import io.rowqueue.testkit.QueueDatabase;
import java.util.Map;
import org.springframework.boot.SpringApplication;

/** The shop on an embedded MariaDB, for {@code spring-boot:test-run}. */
final class TestShopApplication {

  private TestShopApplication() {}

  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(ShopApplication.class);
    application.setDefaultProperties(
        Map.of("spring.datasource.url", url(QueueDatabase.createEmpty())));
    application.run(arguments);
  }

  /** Hibernate needs the server's own driver. */
  static String url(QueueDatabase database) {
    return database.isMariaDb()
        ? database.url().replace("jdbc:mysql:", "jdbc:mariadb:")
        : database.url();
  }
}
