package io.rowqueue;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import java.util.stream.Stream;

/** Users see seven packages: the rest may change from one version to the next. */
@AnalyzeClasses(packages = "io.rowqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class PublicApiTest {

  private static final String[] API = {
    "io.rowqueue",
    "io.rowqueue.counter",
    "io.rowqueue.handler",
    "io.rowqueue.operate",
    "io.rowqueue.spi",
    "io.rowqueue.testkit",
    "io.rowqueue.worker"
  };

  @ArchTest
  static final ArchRule API_NAMES_NO_INTERNAL_TYPE =
      classes().that().resideInAnyPackage(API).should(nameNoInternalType());

  @ArchTest
  static final ArchRule HANDLERS_NEED_NO_INTERNAL_TYPE =
      noClasses()
          .that()
          .resideInAPackage("io.rowqueue.example..")
          .should()
          .dependOnClassesThat(resideInAPackage("io.rowqueue..internal.."));

  /** Superclasses, interfaces, and what public and protected members take, give and throw. */
  private static ArchCondition<JavaClass> nameNoInternalType() {
    return new ArchCondition<>("name no internal type in what users see") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        if (!isSeen(type.getModifiers())) {
          return;
        }
        Stream<JavaClass> members =
            type.getMembers().stream()
                .filter(member -> isSeen(member.getModifiers()))
                .flatMap(member -> member.getAllInvolvedRawTypes().stream());
        Stream<JavaClass> supertypes =
            Stream.concat(
                    type.getAllRawSuperclasses().stream(), type.getAllRawInterfaces().stream())
                .filter(supertype -> isSeen(supertype.getModifiers()));
        Stream.concat(members, supertypes)
            .filter(
                named -> named.getPackageName().matches("io\\.rowqueue\\.(.*\\.)?internal(\\..*)?"))
            .map(named -> type.getName() + " shows " + named.getName())
            .forEach(shown -> events.add(SimpleConditionEvent.violated(type, shown)));
      }
    };
  }

  private static boolean isSeen(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }
}
