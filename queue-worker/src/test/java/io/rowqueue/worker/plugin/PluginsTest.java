package io.rowqueue.worker.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Guice;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.name.Names;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginsTest {

  private static final String SERVICE = "META-INF/services/com.google.inject.Module";

  /** Binds what its own copy of a library says, and whether it sees the worker's inside. */
  private static final String MODULE =
      """
      package team;
      import com.google.inject.AbstractModule;
      import com.google.inject.name.Names;
      public class NAME extends AbstractModule {
        @Override protected void configure() {
          bind(String.class).annotatedWith(Names.named("NAME")).toInstance(Library.VERSION + sees());
        }
        private static String sees() {
          for (String hidden : new String[] {
              "com.fasterxml.jackson.databind.ObjectMapper", "picocli.CommandLine",
              "org.flywaydb.core.Flyway", "com.zaxxer.hikari.HikariDataSource", "com.mysql.cj.jdbc.Driver"}) {
            try { Class.forName(hidden); return " sees " + hidden; } catch (ClassNotFoundException e) { }
          }
          return NAME.class.getClassLoader().getResource("logback.xml") == null ? "" : " sees logback.xml";
        }
      }
      """;

  @TempDir Path folder;

  private Path handlers() throws IOException {
    return Files.createDirectories(folder.resolve("handlers"));
  }

  private void plugin(String name, String version) throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    sources.put(
        "team/Library.java",
        "package team; class Library { static final String VERSION = \"" + version + "\"; }");
    sources.put("team/" + name + ".java", MODULE.replace("NAME", name));
    jar(name, "team." + name, compile(name, sources));
  }

  private Path compile(String name, Map<String, String> sources) throws IOException {
    Path source = Files.createDirectories(folder.resolve(name + "-src"));
    Path classes = Files.createDirectories(folder.resolve(name + "-classes"));
    for (Map.Entry<String, String> entry : sources.entrySet()) {
      Path file = source.resolve(entry.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, entry.getValue());
    }
    List<String> arguments =
        new java.util.ArrayList<>(
            List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
    sources.keySet().forEach(file -> arguments.add(source.resolve(file).toString()));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(result).isZero();
    return classes;
  }

  private void jar(String name, String services, Path classes) throws IOException {
    Path file = handlers().resolve(name + ".jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file));
        Stream<Path> all = Files.walk(classes)) {
      for (Path entry : all.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
        Files.copy(entry, jar);
      }
      if (!services.isEmpty()) {
        jar.putNextEntry(new JarEntry(SERVICE));
        jar.write(services.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static String bound(List<Module> modules, String name) {
    return Guice.createInjector(modules).getInstance(Key.get(String.class, Names.named(name)));
  }

  @Test
  void load_twoJarsWithTheSameClass_eachSeesItsOwnAndNothingInside() throws IOException {
    plugin("One", "1.0");
    plugin("Two", "2.0");
    Files.writeString(handlers().resolve("notes.txt"), "no jar");
    try (Plugins plugins = Plugins.load(handlers())) {
      assertThat(bound(plugins.modules(), "One")).isEqualTo("1.0");
      assertThat(bound(plugins.modules(), "Two")).isEqualTo("2.0");
    }
  }

  @Test
  void load_brokenJars_namesEachWithWhatToDo() throws IOException {
    plugin("Good", "1.0");
    Files.writeString(handlers().resolve("half.jar"), "PK");
    jar("silent", "", Files.createDirectories(folder.resolve("empty")));
    jar("absent", "team.Absent", Files.createDirectories(folder.resolve("empty")));
    Map<String, String> throwing =
        Map.of(
            "team/Throwing.java",
            "package team; public class Throwing extends com.google.inject.AbstractModule {"
                + " public Throwing() { throw new IllegalStateException(\"no licence\"); } }");
    jar("throwing", "team.Throwing", compile("throwing", throwing));
    Map<String, String> other = Map.of("team/Other.java", "package team; public class Other {}");
    jar("other", "team.Other", compile("other", other));

    assertThatThrownBy(() -> Plugins.load(handlers()))
        .isInstanceOf(PluginException.class)
        .hasMessageContaining("5 of 6 handler jars")
        .hasMessageContaining("half.jar: it is no jar")
        .hasMessageContaining("silent.jar: it has no " + SERVICE)
        .hasMessageContaining("absent.jar: ")
        .hasMessageContaining("team.Absent")
        .hasMessageContaining("throwing.jar: ")
        .hasMessageContaining("no licence")
        .hasMessageContaining("other.jar: ");
  }

  @Test
  void load_directoryThatIsMissingOrEmpty_saysWhatToDo() throws IOException {
    assertThatThrownBy(() -> Plugins.load(folder.resolve("nowhere")))
        .hasMessageContaining("cannot be read; create it");
    assertThatThrownBy(() -> Plugins.load(handlers())).hasMessageContaining("holds no jar");
  }
}
