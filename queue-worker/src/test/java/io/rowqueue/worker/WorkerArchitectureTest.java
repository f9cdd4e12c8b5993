package io.rowqueue.worker;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.rowqueue.Tracing;
import java.nio.file.Files;
import java.util.concurrent.Executors;

/** The rules of the worker that the compiler cannot check. */
@AnalyzeClasses(packages = "io.rowqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class WorkerArchitectureTest {

  private static final String WITHOUT_TRACING = "nothing of it is loaded without --tracing";

  private static final DescribedPredicate<JavaClass> TRACING =
      resideInAPackage("io.rowqueue.internal.trace..")
          .or(belongToAnyOf(Tracing.class, WorkerTracingModule.class).as("the tracing modules"));

  @ArchTest
  static final ArchRule ONLY_TRACING_TOUCHES_OPENTELEMETRY =
      noClasses()
          .that(not(TRACING))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.opentelemetry..")
          .because(WITHOUT_TRACING);

  /** It asks for {@code --tracing} first. */
  @ArchTest
  static final ArchRule ONLY_GUICE_WORKERS_TOUCHES_TRACING =
      noClasses()
          .that(not(TRACING))
          .and()
          .doNotHaveFullyQualifiedName("io.rowqueue.worker.internal.cli.GuiceWorkers")
          .should()
          .dependOnClassesThat(TRACING)
          .because(WITHOUT_TRACING);

  @ArchTest
  static final ArchRule ONLY_WORKER_THREADS_RUNS_LOOPS =
      noClasses()
          .that()
          .resideInAPackage("io.rowqueue.worker..")
          .and()
          .resideOutsideOfPackages("..cli..", "..admin..", "..dashboard..", "..doctor..")
          .and()
          .haveNameNotMatching(
              ".*\\.(WorkerThreads|BorrowedConnections|OperatorPoller|PoolSizeCheck|RunningWorker|WorkerPools)([$].*)?")
          .should()
          .callConstructor(Thread.class, Runnable.class)
          .orShould()
          .callConstructor(Thread.class, Runnable.class, String.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Executors.class)
          .because(
              "its loops survive failures and interrupts, and their end is seen; what runs once, or"
                  + " answers requests, is listed here");

  @ArchTest
  static final ArchRule ONLY_SMALL_FILE_READS_SECRETS =
      noClasses()
          .that()
          .haveNameNotMatching(
              ".*\\.(SmallFile|EnqueueCommand|WorkerLease|FileBodyStore|FolderName|JsonKeyset)([$].*)?")
          .should()
          .callMethodWhere(
              target(owner(type(Files.class)))
                  .and(target(nameMatching("read(String|All.*)|lines|new(Input|Buffered|Byte).*"))))
          .because(
              "a password may change while a worker runs: SmallFile.secret reads it for each use;"
                  + " a keyset is polled, and the other classes here read no secrets");
}
