package io.rowqueue.proof.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MutationTest {

  /** Sources move on, and a mutation that changes nothing would prove nothing. */
  @ParameterizedTest
  @EnumSource
  void mutation_standsOnceInTheSourcesAndNamesATest(Mutation mutation) throws Exception {
    assertThat(mutation.occurrences()).isEqualTo(1);
    assertThat(Class.forName(mutation.test())).isNotNull();
  }
}
