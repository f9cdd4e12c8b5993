package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GoingTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678901Z");
  private static final TopicKeyId LINE = TopicKeyId.of("t", "k");

  private static Head head(@Nullable Long first, Set<Long> others, LineLimits limits) {
    return new Head(LINE, first, others, 5, Instant.EPOCH, limits);
  }

  @Test
  void withoutARate_allGo_theFirstAsTheHead() {
    Going going = Going.of(head(null, Set.of(), new LineLimits(3, 0)), List.of(7L, 8L), NOW);
    assertThat(going.let()).containsExactly(7L, 8L);
    assertThat(going.first()).isNull();
    assertThat(going.after())
        .isEqualTo(new Head(LINE, 7L, Set.of(8L), 8, Instant.EPOCH, new LineLimits(3, 0)));
  }

  @Test
  void oneThatSomebodyHas_isPassedByNobody() {
    Going going = Going.of(head(3L, Set.of(), new LineLimits(4, 0)), List.of(7L, 8L, 9L), NOW);
    Going among = going.among(Set.of(7L, 9L));
    assertThat(among.let()).containsExactly(7L);
    assertThat(among.first()).isEqualTo(8L);
    assertThat(among.isBlocked()).isTrue();
    assertThat(among.after().nextFrom()).isEqualTo(8);
    assertThat(among.after().othersSince(among.before())).containsExactly(7L);
  }

  @Test
  void withARate_oneGoes_andTheNextAfterItsTime() {
    LineLimits limits = new LineLimits(10, 4);
    Going going = Going.of(head(null, Set.of(), limits), List.of(7L, 8L), NOW);
    assertThat(going.let()).containsExactly(7L);
    assertThat(going.first()).isEqualTo(8L);
    assertThat(going.isBlocked()).isFalse();
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(250)));

    Head after = going.after();
    assertThat(Going.of(after, List.of(8L), NOW.plus(Duration.ofMillis(249))).let()).isEmpty();
    assertThat(Going.of(after, List.of(8L), NOW.plus(Duration.ofMillis(250))).let())
        .containsExactly(8L);
  }

  @Test
  void lineThatBeganByAClockThatWasAhead_waitsNoLongerThanItsRateSays() {
    LineLimits limits = new LineLimits(10, 4);
    Head before = new Head(LINE, null, Set.of(), 5, NOW.plus(Duration.ofHours(2)), limits);
    Going going = Going.of(before, List.of(7L, 8L), NOW);
    assertThat(going.let()).containsExactly(7L);
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(250)));
  }

  @Test
  void withAHighRate_aTenthOfASecondGoesAtOnce_andWhatIsLateCatchesUp() {
    LineLimits limits = new LineLimits(100, 50);
    List<Long> many = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    Going going = Going.of(head(null, Set.of(), limits), many, NOW);
    assertThat(going.let()).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(20)));
    assertThat(Going.of(going.after(), many, NOW.plus(Duration.ofMillis(65))).let()).hasSize(3);
  }

  @Test
  void limits_outOfReason_areTakenForTheNearest() {
    assertThat(LineLimits.of(null, null)).isEqualTo(LineLimits.NONE);
    assertThat(LineLimits.of(-1, 0)).isEqualTo(new LineLimits(1, 1));
    assertThat(LineLimits.of(5_000, 5_000_000)).isEqualTo(new LineLimits(1_000, 1_000_000));
  }

  @Test
  void head_withoutThoseThatEnded_hasRoom() {
    Head head = head(3L, Set.of(4L, 5L), new LineLimits(3, 0));
    assertThat(head.room()).isZero();
    assertThat(head.names(3)).isTrue();
    assertThat(head.names(6)).isFalse();
    assertThat(head.without(List.of(3L, 5L)).room()).isEqualTo(2);
    assertThat(head.without(List.of(3L, 5L)).others()).containsExactly(4L);
    assertThat(head(3L, Set.of(4L, 5L), LineLimits.NONE).room()).isNegative();
  }
}
