package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusedRowsTest {

  private final RefusedRows<Integer> rows = new RefusedRows<>("the test of row");
  private final List<Integer> changed = new ArrayList<>();
  private int calls;

  /** Changes rows 0 to 99, of which the server answers {@code code} to {@code refused}. */
  private List<Integer> change(Predicate<List<Integer>> refused, int code) {
    return rows.change(
        IntStream.range(0, 100).boxed().toList(),
        row -> row,
        some -> {
          calls++;
          if (refused.test(some)) {
            throw new DatabaseUnavailableException("no", new SQLException("no", "HY000", code));
          }
          changed.addAll(some);
          return some.size();
        });
  }

  @Test
  void change_ofOneRefusedRow_changesTheOthersInFewTransactions() {
    assertThat(change(some -> some.contains(42), 1644).stream().mapToInt(n -> n).sum())
        .isEqualTo(99);
    assertThat(changed).hasSize(99).doesNotContain(42);
    assertThat(calls).isLessThan(20);
    assertThat(rows.delayed()).containsExactly(42);
  }

  /** By Group Replication and by Galera, which say the same of an outage. */
  @ParameterizedTest
  @ValueSource(ints = {3100, 1180})
  void change_thatIsTooLarge_isMadeInParts(int code) {
    assertThat(change(some -> some.size() > 10, code)).hasSizeBetween(10, 20);
    assertThat(changed).hasSize(100);
    assertThat(rows.delayed()).isEmpty();
    assertThatThrownBy(() -> change(some -> true, code)).hasMessage("no");
    assertThat(rows.delayed()).as("an outage of the cluster").isEmpty();
  }

  @Test
  void change_inAnOutage_isNotRepeated() {
    assertThatThrownBy(() -> change(some -> true, 1205)).hasMessage("no");
    assertThat(calls).isEqualTo(1);
    assertThat(rows.delayed()).isEmpty();
  }

  /** The caller would otherwise take it for success. */
  @Test
  void change_ofRefusedRowsOnly_throwsSoon() {
    assertThatThrownBy(() -> change(some -> true, 1644)).hasMessage("no");
    assertThat(rows.delayed()).hasSize(10);
    assertThat(calls).isLessThan(30);
  }
}
