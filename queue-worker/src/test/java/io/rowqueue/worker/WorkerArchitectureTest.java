package io.rowqueue.worker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rules of the worker that the compiler cannot check. */
@AnalyzeClasses(packages = "io.rowqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class WorkerArchitectureTest {

  private static final String WITHOUT_TRACING = "nothing of it is loaded without --tracing";

  @ArchTest
  static final ArchRule ONLY_TRACING_TOUCHES_OPENTELEMETRY =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.rowqueue.worker.trace..", "io.rowqueue.trace..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.opentelemetry..")
          .because(WITHOUT_TRACING);

  /** It asks for {@code --tracing} first. */
  @ArchTest
  static final ArchRule ONLY_GUICE_WORKERS_TOUCHES_TRACING =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.rowqueue.worker.trace..", "io.rowqueue.trace..")
          .and()
          .doNotHaveFullyQualifiedName("io.rowqueue.worker.internal.cli.GuiceWorkers")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.rowqueue.worker.trace..", "io.rowqueue.trace..")
          .because(WITHOUT_TRACING);
}
