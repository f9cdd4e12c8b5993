package io.rowqueue.proof.mutation;

import static java.util.stream.Collectors.joining;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;

record NamedTest(Class<?> type, @Nullable Method method) {

  private static final List<String> MODULES =
      List.of("queue-core", "tests/queue-tests", "tests/queue-proof");

  /** Unit tests, which are not on the class path of this module. */
  static final Path CORE_TESTS = Checkout.home().resolve("queue-core/target/test-classes");

  private static final ClassLoader CLASSES = loader();

  private static ClassLoader loader() {
    try {
      return new URLClassLoader(
          new URL[] {CORE_TESTS.toUri().toURL()}, NamedTest.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  /** Finds the class by its simple name in the test sources of these modules. */
  static NamedTest of(String name) throws IOException {
    String[] parts = name.split("#", 2);
    List<Path> files = new ArrayList<>();
    for (String module : MODULES) {
      Path root = Checkout.home().resolve(module).resolve("src/test/java");
      try (Stream<Path> walk = Files.walk(root)) {
        walk.filter(file -> file.endsWith(parts[0] + ".java"))
            .map(root::relativize)
            .forEach(files::add);
      }
    }
    if (files.size() != 1) {
      throw new AssertionError("test class " + parts[0] + " is in " + files);
    }
    String path = files.get(0).toString();
    try {
      Class<?> type =
          CLASSES.loadClass(path.replaceFirst("\\.java$", "").replaceAll("[/\\\\]", "."));
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
        elements().stream()
            .flatMap(
                element -> AnnotationSupport.findRepeatableAnnotations(element, Tag.class).stream())
            .map(Tag::value)
            .toList();
    return tags.contains("full") ? "full" : tags.contains("ci") ? "ci" : "quick";
  }

  private List<AnnotatedElement> elements() {
    return method == null ? List.of(type) : List.of(type, method);
  }

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
