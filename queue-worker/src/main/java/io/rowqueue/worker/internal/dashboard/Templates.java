package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Renders pages from the templates in this package. All values are escaped; only the layout
 * includes a rendered page verbatim. Thread-safe.
 */
@Singleton
class Templates {

  private final Mustache.Compiler compiler =
      Mustache.compiler()
          .nullValue("")
          .emptyStringIsFalse(true)
          .zeroIsFalse(true)
          .withLoader(
              name -> new java.io.StringReader(new String(template(name), StandardCharsets.UTF_8)));

  private final Map<String, Template> known = new ConcurrentHashMap<>();

  @Inject
  Templates() {}

  /** Renders template {@code name} with {@code model}. */
  String render(String name, Map<String, ?> model) {
    return known
        .computeIfAbsent(
            name, one -> compiler.compile(new String(template(one), StandardCharsets.UTF_8)))
        .execute(model);
  }

  private static byte[] template(String name) {
    byte[] bytes = resource(name + ".mustache");
    if (bytes == null) {
      throw new IllegalStateException("no template " + name);
    }
    return bytes;
  }

  /** Reads a file of this package; null if there is none. */
  static byte @Nullable [] resource(String name) {
    try (InputStream in = Templates.class.getResourceAsStream(name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
