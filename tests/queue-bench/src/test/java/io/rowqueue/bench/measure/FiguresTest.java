package io.rowqueue.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void figures_inAnyOrder_knowMedianAndEnds() {
    Figures figures = Figures.of(List.of(9.0, 1.0, 5.0));

    assertThat(figures.median()).isEqualTo(5.0);
    assertThat(figures.min()).isEqualTo(1.0);
    assertThat(figures.max()).isEqualTo(9.0);
  }

  @Test
  void at_ofAThousand_isWhatThatShareDoesNotExceed() {
    Figures figures =
        Figures.of(DoubleStream.iterate(0, each -> each + 1).limit(1_000).boxed().toList());

    assertThat(figures.at(0.99)).isEqualTo(990.0);
    assertThat(figures.at(1)).isEqualTo(999.0);
  }

  @Test
  void of_nothing_isRefused() {
    assertThatThrownBy(() -> Figures.of(List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing was measured");
  }
}
