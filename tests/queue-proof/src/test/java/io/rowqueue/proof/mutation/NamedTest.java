package io.rowqueue.proof.mutation;

import static java.util.stream.Collectors.joining;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;

/** A test class, or one method of it: {@code ReapIT} or {@code ReapIT#method}. */
record NamedTest(Class<?> type, @Nullable Method method) {

  private static final Path SOURCES = Path.of("src", "test", "java");

  /** Finds the class by its simple name in this module's test sources. */
  static NamedTest of(String name) throws IOException {
    String[] parts = name.split("#", 2);
    Path root = Checkout.home().resolve("tests/queue-proof").resolve(SOURCES);
    List<Path> files;
    try (Stream<Path> walk = Files.walk(root)) {
      files = walk.filter(file -> file.endsWith(parts[0] + ".java")).toList();
    }
    if (files.size() != 1) {
      throw new AssertionError("test class " + parts[0] + " is in " + files);
    }
    String path = root.relativize(files.get(0)).toString();
    try {
      Class<?> type = Class.forName(path.replaceFirst("\\.java$", "").replaceAll("[/\\\\]", "."));
      return new NamedTest(type, parts.length == 1 ? null : method(type, parts[1]));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static Method method(Class<?> type, String name) {
    return Stream.of(type.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(type.getSimpleName() + " has no method " + name));
  }

  /** The lowest tier in which it runs, by its JUnit tags; quick without a tag. */
  String tier() {
    List<String> tags =
        Stream.of(type, method)
            .filter(element -> element != null)
            .flatMap(
                element -> AnnotationSupport.findRepeatableAnnotations(element, Tag.class).stream())
            .map(Tag::value)
            .toList();
    return tags.contains("full") ? "full" : tags.contains("ci") ? "ci" : "quick";
  }

  /** What {@link OneTest} takes. */
  String selector() {
    return method == null
        ? type.getName()
        : Stream.of(method.getParameterTypes())
            .map(Class::getName)
            .collect(joining(",", type.getName() + "#" + method.getName() + "(", ")"));
  }

  @Override
  public String toString() {
    return Stream.of(type.getSimpleName(), method == null ? "" : method.getName())
        .filter(part -> !part.isEmpty())
        .collect(joining("."));
  }
}
