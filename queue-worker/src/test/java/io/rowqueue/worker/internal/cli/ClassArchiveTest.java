package io.rowqueue.worker.internal.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/*
 * An archive of the worker's classes leaves out picocli's types, whose class files are old, and what
 * extends them. Java 17 crashes (SIGSEGV in load_shared_lambda_proxy_class) at a lambda of an archived
 * class whose nest host was left out.
 */
class ClassArchiveTest {

  private static final Path CLASSES = Path.of("target", "classes");

  @Test
  void lambdas_withinTypesThatExtendPicocli_areOfSuchTypesOnly() throws Exception {
    List<String> names;
    try (Stream<Path> files = Files.walk(CLASSES.resolve("io"))) {
      names =
          files
              .map(file -> CLASSES.relativize(file).toString())
              .filter(name -> name.endsWith(".class") && name.contains("$"))
              .toList();
    }
    assertThat(names).isNotEmpty();
    for (String name : names) {
      if (hasLambda(CLASSES.resolve(name))) {
        Class<?> type = load(name);
        assertThat(isLeftOut(type.getNestHost()) && !isLeftOut(type))
            .as("%s has lambdas, and archives leave out %s", type, type.getNestHost())
            .isFalse();
      }
    }
  }

  private static boolean hasLambda(Path file) throws IOException {
    return new String(Files.readAllBytes(file), ISO_8859_1).contains("LambdaMetafactory");
  }

  private static Class<?> load(String file) throws ClassNotFoundException {
    String name = file.substring(0, file.length() - ".class".length()).replaceAll("[/\\\\]", ".");
    return Class.forName(name, false, ClassArchiveTest.class.getClassLoader());
  }

  private static boolean isLeftOut(@Nullable Class<?> type) {
    return type != null
        && (type.getName().startsWith("picocli.")
            || isLeftOut(type.getSuperclass())
            || Stream.of(type.getInterfaces()).anyMatch(ClassArchiveTest::isLeftOut));
  }
}
