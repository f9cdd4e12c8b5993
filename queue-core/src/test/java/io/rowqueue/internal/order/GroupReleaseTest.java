package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GroupReleaseTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678901Z");
  private static final TopicKeyId LINE = TopicKeyId.of("t", "k");

  private static GroupState head(@Nullable Long first, Set<Long> others, GroupLimits limits) {
    return new GroupState(LINE, first, others, 5, Instant.EPOCH, limits);
  }

  @Test
  void withoutARate_allGo_theFirstAsTheHead() {
    GroupRelease going =
        GroupRelease.of(head(null, Set.of(), new GroupLimits(3, 0)), List.of(7L, 8L), NOW);
    assertThat(going.released()).containsExactly(7L, 8L);
    assertThat(going.firstBlocked()).isNull();
    assertThat(going.stateAfter())
        .isEqualTo(new GroupState(LINE, 7L, Set.of(8L), 8, Instant.EPOCH, new GroupLimits(3, 0)));
  }

  @Test
  void oneThatSomebodyHas_isPassedByNobody() {
    GroupRelease going =
        GroupRelease.of(head(3L, Set.of(), new GroupLimits(4, 0)), List.of(7L, 8L, 9L), NOW);
    GroupRelease among = going.limitedTo(Set.of(7L, 9L));
    assertThat(among.released()).containsExactly(7L);
    assertThat(among.firstBlocked()).isEqualTo(8L);
    assertThat(among.isBlocked()).isTrue();
    assertThat(among.stateAfter().nextFrom()).isEqualTo(8);
    assertThat(among.stateAfter().othersSince(among.before())).containsExactly(7L);
  }

  @Test
  void withARate_oneGoes_andTheNextAfterItsTime() {
    GroupLimits limits = new GroupLimits(10, 4);
    GroupRelease going = GroupRelease.of(head(null, Set.of(), limits), List.of(7L, 8L), NOW);
    assertThat(going.released()).containsExactly(7L);
    assertThat(going.firstBlocked()).isEqualTo(8L);
    assertThat(going.isBlocked()).isFalse();
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(250)));

    GroupState after = going.stateAfter();
    assertThat(GroupRelease.of(after, List.of(8L), NOW.plus(Duration.ofMillis(249))).released())
        .isEmpty();
    assertThat(GroupRelease.of(after, List.of(8L), NOW.plus(Duration.ofMillis(250))).released())
        .containsExactly(8L);
  }

  @Test
  void lineThatBeganByAClockThatWasAhead_waitsNoLongerThanItsRateSays() {
    GroupLimits limits = new GroupLimits(10, 4);
    GroupState before =
        new GroupState(LINE, null, Set.of(), 5, NOW.plus(Duration.ofHours(2)), limits);
    GroupRelease going = GroupRelease.of(before, List.of(7L, 8L), NOW);
    assertThat(going.released()).containsExactly(7L);
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(250)));
  }

  @Test
  void withAHighRate_aTenthOfASecondGoesAtOnce_andWhatIsLateCatchesUp() {
    GroupLimits limits = new GroupLimits(100, 50);
    List<Long> many = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    GroupRelease going = GroupRelease.of(head(null, Set.of(), limits), many, NOW);
    assertThat(going.released()).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(going.nextAt()).isEqualTo(NOW.plus(Duration.ofMillis(20)));
    assertThat(
            GroupRelease.of(going.stateAfter(), many, NOW.plus(Duration.ofMillis(65))).released())
        .hasSize(3);
  }

  @Test
  void limits_outOfReason_areTakenForTheNearest() {
    assertThat(GroupLimits.of(null, null)).isEqualTo(GroupLimits.NONE);
    assertThat(GroupLimits.of(-1, 0)).isEqualTo(new GroupLimits(1, 1));
    assertThat(GroupLimits.of(5_000, 5_000_000)).isEqualTo(new GroupLimits(1_000, 1_000_000));
  }

  @Test
  void head_withoutThoseThatEnded_hasRoom() {
    GroupState head = head(3L, Set.of(4L, 5L), new GroupLimits(3, 0));
    assertThat(head.capacity()).isZero();
    assertThat(head.names(3)).isTrue();
    assertThat(head.names(6)).isFalse();
    assertThat(head.without(List.of(3L, 5L)).capacity()).isEqualTo(2);
    assertThat(head.without(List.of(3L, 5L)).others()).containsExactly(4L);
    assertThat(head(3L, Set.of(4L, 5L), GroupLimits.NONE).capacity()).isNegative();
  }
}
