package io.rowqueue.worker.internal.plugin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Builds a plug-in jar from sources, as a team's build would. */
public final class PluginJars {

  public static final String SERVICE = "META-INF/services/com.google.inject.Module";

  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, byte[]> resources = new LinkedHashMap<>();
  private final List<String> left = new ArrayList<>();

  /** An empty jar. */
  public static PluginJars jar() {
    return new PluginJars();
  }

  /** Adds a class, compiled against this test's class path. */
  public PluginJars source(String className, String text) {
    sources.put(className, text);
    return this;
  }

  /** Adds a resource. */
  public PluginJars resource(String name, String text) {
    resources.put(name, text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Names modules in the service file. */
  public PluginJars service(String... modules) {
    return resource(SERVICE, String.join("\n", modules) + "\n");
  }

  /** Compiles a class and leaves it out of the jar. */
  public PluginJars without(String className) {
    left.add(className);
    return this;
  }

  /** Writes the jar. */
  public Path writeTo(Path file) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>(resources);
    compile()
        .forEach(
            (name, bytes) -> {
              if (!left.contains(name)) {
                entries.put(name.replace('.', '/') + ".class", bytes);
              }
            });
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        jar.putNextEntry(new JarEntry(entry.getKey()));
        jar.write(entry.getValue());
        jar.closeEntry();
      }
    }
    return file;
  }

  private Map<String, byte[]> compile() throws IOException {
    if (sources.isEmpty()) {
      return Map.of();
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringBuilder errors = new StringBuilder();
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
        InMemory files = new InMemory(standard)) {
      List<JavaFileObject> units = new ArrayList<>();
      sources.forEach((name, text) -> units.add(new Source(name, text)));
      boolean compiled =
          compiler
              .getTask(
                  null,
                  files,
                  diagnostic -> errors.append(diagnostic).append('\n'),
                  List.of("-proc:none"),
                  null,
                  units)
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(errors.toString());
      }
      Map<String, byte[]> classes = new LinkedHashMap<>();
      files.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(URI.create("mem:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes = new LinkedHashMap<>();

    InMemory(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(
          URI.create("mem:///" + className.replace('.', '/') + ".class"), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          classes.put(className, bytes);
          return bytes;
        }
      };
    }
  }
}
