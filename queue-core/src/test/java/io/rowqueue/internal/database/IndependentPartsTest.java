package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.QueueException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IndependentPartsTest {

  private final List<Integer> changed = new ArrayList<>();
  private int tried;

  /** Pages of two of the numbers from 1 to {@code last}. */
  private int change(int last, int from, int to, SQLException failure) {
    return IndependentParts.<Integer>sumOfPages(
        2,
        after ->
            IntStream.rangeClosed(after == null ? 1 : after + 1, last).limit(2).boxed().toList(),
        page -> {
          tried++;
          if (page.get(0) >= from && page.get(0) < to) {
            throw new QueueException("page " + page, failure);
          }
          changed.addAll(page);
          return page.size();
        });
  }

  private static SQLException refusal() {
    return new SQLException("not today", "45000", 1644);
  }

  @Test
  void pages_afterARefusedOne_areChanged() {
    assertThatThrownBy(() -> change(5, 1, 3, refusal())).hasMessage("page [1, 2]");
    assertThat(changed).containsExactly(3, 4, 5);
    assertThat(change(5, 0, 0, refusal())).isEqualTo(5);
  }

  @Test
  void pages_afterAnOutage_areNotTried() {
    assertThatThrownBy(() -> change(5, 1, 3, new SQLRecoverableException("gone", "08S01")))
        .hasMessage("page [1, 2]");
    assertThat(changed).isEmpty();
  }

  @Test
  void pages_ofWhichTheFirstTenAreRefused_areNotTriedFurther() {
    assertThatThrownBy(() -> change(100, 1, 100, refusal())).hasMessage("page [19, 20]");
    assertThat(tried).isEqualTo(10);
  }
}
