package io.rowqueue;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.Executors;

/** The rules that the compiler cannot check. */
@AnalyzeClasses(packages = "io.rowqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String[] API = {
    "io.rowqueue",
    "io.rowqueue.counter",
    "io.rowqueue.handler",
    "io.rowqueue.operate",
    "io.rowqueue.spi"
  };

  @ArchTest
  static final ArchRule EVERYTHING_IS_API_OR_INTERNAL =
      classes()
          .should()
          .resideInAnyPackage(API)
          .orShould()
          .resideInAPackage("io.rowqueue.internal..")
          .because("a new package needs a decision");

  @ArchTest
  static final ArchRule INTERNAL_PACKAGES_HAVE_NO_CYCLES =
      slices()
          .matching("io.rowqueue.internal.(*)..")
          .should()
          .beFreeOfCycles()
          .because("a message walks through the packages one way")
          .ignoreDependency(
              resideInAPackage("io.rowqueue.internal.table.."),
              resideInAPackage("io.rowqueue.internal.database.."));

  @ArchTest
  static final ArchRule ONLY_INTERNAL_CLASSES_TOUCH_TABLES =
      noClasses()
          .that()
          .resideInAnyPackage(API)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.rowqueue.internal.table..")
          .because("the API says what a queue does, not how");

  @ArchTest
  static final ArchRule ONE_CLASS_KNOWS_THE_CRON_LIBRARY =
      noClasses()
          .that()
          .haveNameNotMatching("io\\.rowqueue\\.internal\\.schedule\\.CronLine(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.cronutils..")
          .because("it is released seldom; another can take its place in one class");

  @ArchTest
  static final ArchRule THE_DATABASE_HAS_THE_CLOCK =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC")
          .because("the server's clock decides; a local one may only make us give up earlier");

  @ArchTest
  static final ArchRule CORE_STARTS_NO_THREAD =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.rowqueue",
              "io.rowqueue.spi",
              "io.rowqueue.internal.seal..",
              "io.rowqueue.internal.result..",
              "io.rowqueue.internal.listen..",
              "io.rowqueue.internal.depth..")
          .should()
          .callConstructor(Thread.class, Runnable.class)
          .orShould()
          .callConstructor(Thread.class, Runnable.class, String.class)
          .orShould()
          .callMethod(Thread.class, "start")
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Executors.class)
          .because(
              "threads are the worker's; but a remote keyset must not delay messages, a process"
                  + " that awaits results may have no worker, and a producer may hold the last"
                  + " connection of the pool");

  @ArchTest
  static final ArchRule ONLY_STORED_MESSAGES_HAVE_STORED_HEADERS =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.rowqueue",
              "io.rowqueue.internal.schedule..",
              "io.rowqueue.internal.enqueue..",
              "io.rowqueue.internal.result..")
          .should()
          .callMethod(NewMessage.class, "withStoredHeader", String.class, String.class)
          .because("readers trust reserved headers; whoever forwards messages leaves them out");
}
