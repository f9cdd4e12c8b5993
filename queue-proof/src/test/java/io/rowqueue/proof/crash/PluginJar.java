package io.rowqueue.proof.crash;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Packs a module and its package as a plug-in jar, as a team's build would. */
final class PluginJar {

  private PluginJar() {}

  static void pack(Class<?> module, Path file) throws IOException, URISyntaxException {
    Path classes = Path.of(module.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path folder = classes.resolve(module.getPackageName().replace('.', '/'));
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file));
        Stream<Path> all = Files.list(folder)) {
      jar.putNextEntry(new JarEntry("META-INF/services/com.google.inject.Module"));
      jar.write(module.getName().getBytes(StandardCharsets.UTF_8));
      for (Path each : List.copyOf(all.toList())) {
        jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
        Files.copy(each, jar);
      }
    }
  }
}
