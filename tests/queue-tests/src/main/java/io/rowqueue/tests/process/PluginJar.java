package io.rowqueue.tests.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Packs a module and its package as a plug-in jar, as a team's build would. */
public final class PluginJar {

  private PluginJar() {}

  /**
   * Packs {@code module} and the other classes of its package into {@code file}, from wherever this
   * program has them.
   */
  public static void pack(Class<?> module, Path file) throws IOException {
    Path code = Checkout.codeOf(module);
    if (Files.isDirectory(code)) {
      pack(module, code, file);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(code)) {
        pack(module, jar.getPath("/"), file);
      }
    }
  }

  private static void pack(Class<?> module, Path classes, Path file) throws IOException {
    Path folder = classes.resolve(module.getPackageName().replace('.', '/'));
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file));
        Stream<Path> all = Files.list(folder)) {
      jar.putNextEntry(new JarEntry("META-INF/services/com.google.inject.Module"));
      jar.write(module.getName().getBytes(StandardCharsets.UTF_8));
      for (Path each : List.copyOf(all.filter(Files::isRegularFile).toList())) {
        jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
        Files.copy(each, jar);
      }
    }
  }
}
