package io.rowqueue.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The starter's settings.
 *
 * @param enabled whether RowQueue is configured at all
 * @param dataSource the bean name of the data source with the queue; the primary one by default
 * @param transactionManager the bean name of the transaction manager in whose transactions handlers
 *     run; by default the only one that manages the data source, or the primary one
 * @param schema what happens to RowQueue's tables when the application starts
 * @param worker the worker that runs in the application
 * @param dashboard the dashboard in the application
 */
@ConfigurationProperties("rowqueue")
public record RowQueueProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String dataSource,
    @Nullable String transactionManager,
    @DefaultValue("migrate") Schema schema,
    @DefaultValue Worker worker,
    @DefaultValue Dashboard dashboard) {

  /** What happens to RowQueue's tables when the application starts. */
  public enum Schema {
    /** They are created or migrated, after the application's own migrations. */
    MIGRATE,
    /** The application refuses to start if they do not fit. */
    VALIDATE,
    /** Nothing; a worker checks them when it starts. */
    NONE
  }

  /**
   * Settings of the worker.
   *
   * @param enabled whether handlers run in this application; false for one that only enqueues
   * @param threads the number of messages that are handled at once. The pool needs four connections
   *     more than that, in addition to those of the application
   * @param dedicatedPool whether the worker opens a pool of its own, with the settings of the
   *     application's, and takes from that one only the connections of handlers
   * @param pollInterval the longest time between two polls
   * @param drainTimeout how long running handlers may take when the application stops
   * @param attempts the failed attempts after which a message is dead-lettered, unless the handler
   *     says otherwise
   * @param timeout the time after which a handler is interrupted, unless the handler says otherwise
   */
  public record Worker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("4") int threads,
      @DefaultValue("false") boolean dedicatedPool,
      @DefaultValue("1s") Duration pollInterval,
      @DefaultValue("20s") Duration drainTimeout,
      @Nullable Integer attempts,
      @Nullable Duration timeout) {}

  /**
   * Settings of the dashboard.
   *
   * @param enabled whether a servlet application serves it, to users whom it has authenticated
   * @param path below the application's context path, or below management.server.base-path on the
   *     management port
   * @param basePath the path before the application's in links, where a gateway cuts it off; for
   *     example {@code /shop}
   * @param useManagementPort whether it is served on management.server.port instead of the
   *     application's port, if they differ
   * @param role the role whose users may change something; the others may only read, and so may all
   *     if it is not set
   * @param queues further queues, by the name that the dashboard shows: letters, digits and dashes
   */
  public record Dashboard(
      @DefaultValue("false") boolean enabled,
      @DefaultValue("/rowqueue") String path,
      @DefaultValue("") String basePath,
      @DefaultValue("false") boolean useManagementPort,
      @Nullable String role,
      @DefaultValue Map<String, Queue> queues) {}

  /**
   * The database of a further queue.
   *
   * @param url its JDBC URL
   * @param username an account with the role {@code operator}; by default that of the URL
   * @param password its password
   */
  public record Queue(
      @DefaultValue("") String url,
      @DefaultValue("") String username,
      @DefaultValue("") String password) {

    /** Returns it without the password. */
    @Override
    public String toString() {
      return "Queue[username=" + username + "]";
    }
  }
}
