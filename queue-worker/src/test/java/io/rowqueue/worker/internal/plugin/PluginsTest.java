package io.rowqueue.worker.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.inject.AbstractModule;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.handle.HandlerBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginsTest {

  @TempDir Path directory;

  private static String module(String name, String body) {
    return """
    package %s;
    public class %s extends com.google.inject.AbstractModule {
      %s
    }
    """
        .formatted(
            name.substring(0, name.lastIndexOf('.')),
            name.substring(name.lastIndexOf('.') + 1),
            body);
  }

  private static PluginJars plugin(String module, String body) {
    return PluginJars.jar().source(module, module(module, body)).service(module);
  }

  private PluginJars valid() {
    return plugin("shop.ShopModule", "");
  }

  private Path at(String name) {
    return directory.resolve(name);
  }

  private String failure() {
    Throwable failure = catchThrowable(() -> Plugins.load(directory).close());
    assertThat(failure).isInstanceOf(PluginException.class);
    return String.valueOf(failure.getMessage());
  }

  private Injector injector(Plugins plugins) {
    List<Module> modules = new ArrayList<>(plugins.modules());
    modules.add(
        new AbstractModule() {
          @Override
          protected void configure() {
            com.google.inject.multibindings.Multibinder.newSetBinder(
                binder(), HandlerBinding.class);
          }
        });
    return Guice.createInjector(modules);
  }

  private static String named(Injector injector, String name) {
    return injector.getInstance(Key.get(String.class, Names.named(name)));
  }

  private static String bindString(String name, String expression) {
    return """
    protected void configure() {
      bindConstant().annotatedWith(com.google.inject.name.Names.named("%s")).to(%s);
    }
    """
        .formatted(name, expression);
  }

  @Test
  void load_severalJars_inTheOrderOfTheirNamesAndNothingElse() throws IOException {
    plugin("b.B", "").writeTo(at("b.jar"));
    plugin("a.A", "").writeTo(at("a.jar"));
    Files.writeString(at("notes.txt"), "no jar");
    Files.writeString(at(".hidden.jar"), "no jar");
    Files.createDirectory(at("old.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      assertThat(plugins.jars()).containsExactly(at("a.jar"), at("b.jar"));
      assertThat(plugins.modules().stream().map(Object::toString))
          .containsSubsequence("a.A of a.jar", "b.B of b.jar");
      assertThat(plugins.jarOf("b.B")).contains(at("b.jar"));
      assertThat(plugins.jarOf("java.lang.String")).isEmpty();
    }
  }

  @Test
  void load_missingFileOrEmptyDirectory_saysWhatToDo() throws IOException {
    assertThat(failure()).contains("has no *.jar").contains(directory.toString());
    assertThatThrownBy(() -> Plugins.load(at("nowhere")))
        .isInstanceOf(PluginException.class)
        .hasMessageContaining("does not exist; create it");
    Path file = Files.writeString(at("file"), "");
    assertThatThrownBy(() -> Plugins.load(file))
        .isInstanceOf(PluginException.class)
        .hasMessageContaining("is a file");
  }

  @Test
  void load_noZip_namesTheJar() throws IOException {
    Files.writeString(at("cut.jar"), "PK half of a jar");
    assertThat(failure())
        .contains("cut.jar: it cannot be opened as a jar")
        .contains("copy it again");
  }

  @Test
  void load_danglingLink_namesTheJar() throws IOException {
    Files.createSymbolicLink(at("gone.jar"), at("nowhere.jar"));
    assertThat(failure()).contains("gone.jar: it cannot be opened as a jar");
  }

  @Test
  void load_noServiceFile_saysWhichFileToAdd() throws IOException {
    PluginJars.jar().source("shop.M", module("shop.M", "")).writeTo(at("library.jar"));
    assertThat(failure()).contains("library.jar: it has no " + PluginJars.SERVICE);
  }

  @Test
  void load_emptyServiceFile_isRefused() throws IOException {
    PluginJars.jar().resource(PluginJars.SERVICE, "# nothing\n").writeTo(at("empty.jar"));
    assertThat(failure()).contains("empty.jar: ").contains("names no class");
  }

  @Test
  void load_moduleClassMissing_namesTheClass() throws IOException {
    valid().without("shop.ShopModule").writeTo(at("shop.jar"));
    assertThat(failure())
        .contains("shop.jar: ")
        .contains("names class shop.ShopModule, which is not");
  }

  @Test
  void load_classIsNoModule_namesTheClass() throws IOException {
    PluginJars.jar()
        .source("shop.Plain", "package shop; public class Plain {}")
        .service("shop.Plain")
        .writeTo(at("shop.jar"));
    assertThat(failure()).contains("shop.jar: ").contains("shop.Plain, which is not a com.google");
  }

  @Test
  void load_constructorThrows_showsWhatItThrew() throws IOException {
    plugin("shop.M", "public M() { throw new IllegalStateException(\"no SHOP_KEY\"); }")
        .writeTo(at("shop.jar"));
    assertThat(failure())
        .contains("shop.jar: ")
        .contains("constructor threw java.lang.IllegalStateException: no SHOP_KEY");
  }

  @Test
  void load_noPublicConstructor_saysThatOneIsNeeded() throws IOException {
    plugin("shop.M", "public M(int size) {}").writeTo(at("shop.jar"));
    assertThat(failure()).contains("shop.jar: ").contains("public constructor without parameters");
  }

  @Test
  void load_libraryMissing_namesTheClass() throws IOException {
    plugin("shop.M", "private static final lib.Price PRICE = new lib.Price();")
        .source("lib.Price", "package lib; public class Price {}")
        .without("lib.Price")
        .writeTo(at("shop.jar"));
    assertThat(failure()).contains("shop.jar: class lib.Price is not in the jar; bundle");
  }

  @Test
  void load_initializerThrows_showsWhatItThrew() throws IOException {
    plugin("shop.M", "private static final int SIZE = Integer.parseInt(\"many\");")
        .writeTo(at("shop.jar"));
    assertThat(failure()).contains("shop.jar: ").contains("NumberFormatException");
  }

  @Test
  void load_classOfANewerJava_saysWhichBothAre() throws IOException {
    valid().writeTo(at("good.jar"));
    Path jar = valid().without("shop.ShopModule").writeTo(at("new.jar"));
    byte[] header = {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, (byte) 140, 0, 0};
    try (var zip = java.nio.file.FileSystems.newFileSystem(jar)) {
      Files.createDirectories(zip.getPath("shop"));
      Files.write(zip.getPath("shop/ShopModule.class"), header);
    }
    assertThat(failure())
        .contains("new.jar: it is compiled for Java 96")
        .contains("runs on Java " + Runtime.version().feature())
        .doesNotContain("good.jar");
  }

  @Test
  void load_severalBroken_namesThemAll() throws IOException {
    Files.writeString(at("one.jar"), "x");
    valid().without("shop.ShopModule").writeTo(at("two.jar"));
    assertThat(failure()).startsWith("2 plug-ins").contains("one.jar: ").contains("two.jar: ");
  }

  @Test
  void configure_classMissing_namesTheJarAndTheModule() throws IOException {
    plugin("shop.M", "protected void configure() { new lib.Price(); }")
        .source("lib.Price", "package lib; public class Price {}")
        .without("lib.Price")
        .writeTo(at("shop.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      assertThatThrownBy(() -> injector(plugins))
          .isInstanceOf(CreationException.class)
          .hasMessageContaining("shop.jar: shop.M: class lib.Price is not in the jar");
    }
  }

  @Test
  void isolation_ownVersionOfAWorkersClass_isTheOneSeen() throws IOException {
    plugin("shop.M", bindString("from", "com.fasterxml.jackson.databind.ObjectMapper.MINE"))
        .source(
            "com.fasterxml.jackson.databind.ObjectMapper",
            """
            package com.fasterxml.jackson.databind;
            public class ObjectMapper { public static final String MINE = "mine".toString(); }
            """)
        .writeTo(at("shop.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      assertThat(named(injector(plugins), "from")).isEqualTo("mine");
    }
  }

  @Test
  void isolation_worksInsides_cannotBeSeen() throws IOException {
    String seen =
        """
        protected void configure() {
          StringBuilder seen = new StringBuilder();
          for (String name : new String[] {
              "com.fasterxml.jackson.databind.ObjectMapper", "org.flywaydb.core.Flyway",
              "com.zaxxer.hikari.HikariDataSource", "picocli.CommandLine",
              "ch.qos.logback.classic.Logger", "com.mysql.cj.jdbc.Driver"}) {
            try {
              Class.forName(name);
              seen.append(name);
            } catch (ClassNotFoundException e) {
              // as it should be
            }
          }
          ClassLoader own = getClass().getClassLoader();
          seen.append(java.util.ServiceLoader.load(java.sql.Driver.class, own).findFirst()
              .map(driver -> driver.getClass().getName()).orElse(""));
          for (String name : new String[] {
              "META-INF/services/java.sql.Driver", "META-INF/MANIFEST.MF",
              "io/rowqueue/migration/V1__queue.sql"}) {
            seen.append(own.getResource(name) == null ? "" : name);
          }
          bindConstant().annotatedWith(com.google.inject.name.Names.named("seen"))
              .to(seen.toString());
        }
        """;
    plugin("shop.M", seen).writeTo(at("shop.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      assertThat(named(injector(plugins), "seen")).isEmpty();
    }
  }

  @Test
  void isolation_twoPluginsWithTwoVersionsOfALibrary_eachSeesItsOwn() throws IOException {
    for (String version : List.of("1", "2")) {
      plugin("shop%s.M".formatted(version), bindString("v" + version, "lib.Version.get()"))
          .source(
              "lib.Version",
              "package lib; public class Version { public static String get() { return \"%s\"; } }"
                  .formatted(version))
          .writeTo(at("shop" + version + ".jar"));
    }
    try (Plugins plugins = Plugins.load(directory)) {
      Injector injector = injector(plugins);
      assertThat(named(injector, "v1")).isEqualTo("1");
      assertThat(named(injector, "v2")).isEqualTo("2");
    }
  }

  @Test
  void isolation_sharedPackages_areTheWorkersAndFallBackToTheJar() throws IOException {
    plugin(
            "io.rowqueue.example.M",
            bindString(
                "same",
                "String.valueOf(io.rowqueue.Topic.class.getClassLoader()"
                    + " == com.google.inject.Guice.class.getClassLoader())"))
        .source(
            "io.rowqueue.Topic", "package io.rowqueue; public class Topic { int notTheWorkers; }")
        .writeTo(at("example.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      assertThat(named(injector(plugins), "same")).isEqualTo("true");
    }
  }

  @Test
  void contextLoader_whileModulesAreMadeAndConfigured_isThePluginsOwn() throws IOException {
    String own = "Thread.currentThread().getContextClassLoader() == M.class.getClassLoader()";
    plugin(
            "shop.M",
            "private final boolean made = "
                + own
                + ";\n"
                + bindString("own", "String.valueOf(made && " + own + ")"))
        .writeTo(at("shop.jar"));
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (Plugins plugins = Plugins.load(directory)) {
      assertThat(named(injector(plugins), "own")).isEqualTo("true");
    }
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  @Test
  void contextLoader_whileAHandlerIsMadeAndRuns_isThePluginsOwn() throws Exception {
    plugin(
            "shop.M",
            """
            protected void configure() {
              io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H.class);
            }
            public static class H implements io.rowqueue.handler.MessageHandler<String> {
              final ClassLoader made = Thread.currentThread().getContextClassLoader();
              public void handle(String payload, io.rowqueue.handler.HandlerContext context) {
                ClassLoader runs = Thread.currentThread().getContextClassLoader();
                if (made != H.class.getClassLoader() || runs != made) {
                  throw new IllegalStateException("made in " + made + ", runs in " + runs);
                }
              }
            }
            """)
        .writeTo(at("shop.jar"));
    try (Plugins plugins = Plugins.load(directory)) {
      Injector injector = injector(plugins);
      HandlerBinding binding =
          injector
              .getInstance(Key.get(new TypeLiteral<Set<HandlerBinding>>() {}))
              .iterator()
              .next();
      HandlerInterceptor interceptor =
          injector
              .getInstance(Key.get(new TypeLiteral<Set<HandlerInterceptor>>() {}))
              .iterator()
              .next();
      assertThat(binding.loader())
          .describedAs("in which its codec runs")
          .isSameAs(binding.handler().get().getClass().getClassLoader());
      @SuppressWarnings("unchecked")
      var handler = (io.rowqueue.handler.MessageHandler<Object>) binding.handler().get();
      var context = new ContextOfTopic("t");
      interceptor.intercept(context, () -> handler.handle("payload", context));
      assertThatThrownBy(() -> handler.handle("payload", context))
          .describedAs("without the interceptor the thread's own loader stays")
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
