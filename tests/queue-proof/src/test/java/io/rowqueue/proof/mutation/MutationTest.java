package io.rowqueue.proof.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MutationTest {

  private static final Path PAGE = Checkout.home().resolve("docs/internals/mutations.md");

  /** Sources change, and a mutation that changes nothing would prove nothing. */
  @ParameterizedTest
  @EnumSource
  void mutation_standsOnceInTheSourcesAndNamesATest(Mutation mutation) throws Exception {
    assertThat(mutation.occurrences()).isEqualTo(1);
    assertThat(mutation.tests()).isNotEmpty();
  }

  /** With {@code -Drowqueue.docs.update=true} the page is written instead of compared. */
  @Test
  void page_isWhatTheMutationsSay() throws IOException {
    String page = page();
    if (Boolean.getBoolean("rowqueue.docs.update")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private static String page() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Mutations

            <!-- Written by MutationTest with -Drowqueue.docs.update=true. -->

            Each mutation removes one rule of the protocol from a copy of the sources. `MutationsIT`
            runs the test that is named for it, which must fail. The tier is the lowest one in which
            that test runs: `quick`, `ci` or `full`.

            | mutation | changed class | test that catches it | tier |
            |---|---|---|---|
            """);
    for (Mutation mutation : Mutation.values()) {
      for (NamedTest test : mutation.tests()) {
        page.append(
            "| `%s` | `%s` | `%s` | %s |%n"
                .formatted(mutation, mutation.changedClass(), test, test.tier()));
      }
    }
    return page.toString();
  }
}
