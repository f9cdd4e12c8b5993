package io.rowqueue.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * Leaves Spring Boot's Flyway and Mustache off in applications that do not use them. RowQueue
 * brings both libraries, and their presence alone would switch Boot 3's configurations on; Flyway's
 * fails on a schema with tables. An application uses one if it has properties for it, or files
 * where it expects them.
 */
final class OnlyIfUsed implements AutoConfigurationImportFilter, EnvironmentAware {

  private static final Map<String, Use> USES =
      Map.of(
          "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
          new Use("spring.flyway", "classpath*:db/migration/**/*.*"),
          "org.springframework.boot.autoconfigure.mustache.MustacheAutoConfiguration",
          new Use("spring.mustache", "classpath*:templates/**/*.mustache"));

  /** What an application that uses a library has. */
  private record Use(String properties, String files) {}

  private @Nullable Environment environment;

  @Override
  public void setEnvironment(Environment environment) {
    this.environment = environment;
  }

  @Override
  public boolean[] match(@Nullable String[] classes, AutoConfigurationMetadata metadata) {
    boolean[] matches = new boolean[classes.length];
    for (int i = 0; i < classes.length; i++) {
      Use use = classes[i] == null ? null : USES.get(classes[i]);
      matches[i] = use == null || isUsed(use);
    }
    return matches;
  }

  private boolean isUsed(Use use) {
    return environment == null
        || Binder.get(environment)
            .bind(use.properties, Bindable.mapOf(String.class, Object.class))
            .isBound()
        || exist(use.files);
  }

  private static boolean exist(String files) {
    try {
      return new PathMatchingResourcePatternResolver().getResources(files).length > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
