package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * RowQueue is compiled with other versions of its libraries than an application has, and a method
 * with another signature is only missed when it is called.
 */
@Tag("ci")
class LibrariesTest {

  private static final List<String> MANAGED_BY_BOOT =
      List.of(
          "ch.qos.logback.",
          "com.fasterxml.jackson.",
          "com.zaxxer.hikari.",
          "io.micrometer.",
          "org.flywaydb.",
          "org.jooq.",
          "org.slf4j.",
          "org.springframework.",
          "tools.jackson.");

  @Test
  void methods_thatRowQueueCalls_existInTheVersionsOfTheApplication() {
    List<AccessTarget> called =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.rowqueue")
                .stream()
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .<AccessTarget>map(JavaAccess::getTarget)
                .filter(target -> isPresent(target.getOwner()))
                .toList();
    for (String library : List.of("com.fasterxml.jackson.", "com.zaxxer.hikari.", "org.jooq.")) {
      assertThat(called).anyMatch(target -> target.getOwner().getName().startsWith(library));
    }
    assertThat(called)
        .filteredOn(target -> target.resolveMember().isEmpty())
        .extracting(AccessTarget::getFullName)
        .isEmpty();
  }

  /** Optional libraries, such as those of the other version of Boot, are not. */
  private static boolean isPresent(JavaClass owner) {
    return owner.getSource().isPresent()
        && MANAGED_BY_BOOT.stream().anyMatch(owner.getName()::startsWith);
  }
}
