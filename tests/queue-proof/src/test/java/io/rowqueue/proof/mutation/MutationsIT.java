package io.rowqueue.proof.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.process.Checkout;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("full")
class MutationsIT {

  private static final String CLASS_PATH = System.getProperty("java.class.path");

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void mutation_isNoticed(Mutation mutation) throws Exception {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    compile(mutation.write(folder), classes);
    for (NamedTest test : mutation.tests()) {
      Path said = folder.resolve("said.txt");
      Process process = run(test.selector(), classes, said);
      int exitCode = process.waitFor();
      List<String> red =
          Files.readAllLines(said).stream().filter(line -> line.startsWith("RED ")).toList();
      System.out.printf("%s: %s notices, in %s%n", mutation, test, red);
      assertThat(exitCode)
          .as("%s is red without the rule; it said:%n%s", test, Files.readString(said))
          .isEqualTo(OneTest.RED);
    }
  }

  private static void compile(Path source, Path classes) {
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-nowarn",
                "-proc:none",
                "-parameters",
                "-cp",
                CLASS_PATH,
                "-d",
                classes.toString(),
                source.toString());
    assertThat(failed).as("%s compiles", source).isZero();
  }

  /** The mutant comes first on the class path, before the class that it was made from. */
  private static Process run(String test, Path classes, Path said) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Checkout.java(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                String.join(
                    File.pathSeparator,
                    classes.toString(),
                    CLASS_PATH,
                    NamedTest.CORE_TESTS.toString())));
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (name.toString().startsWith("rowqueue.test.")) {
                command.add("-D" + name + "=" + value);
              }
            });
    command.addAll(List.of(OneTest.class.getName(), test));
    return new ProcessBuilder(command)
        .directory(Checkout.home().resolve("tests/queue-proof").toFile())
        .redirectErrorStream(true)
        .redirectOutput(said.toFile())
        .start();
  }
}
