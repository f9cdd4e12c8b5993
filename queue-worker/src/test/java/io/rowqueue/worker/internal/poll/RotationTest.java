package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RotationTest {

  private static final Topic A = new Topic("a");
  private static final Topic B = new Topic("b");
  private static final Topic C = new Topic("c");

  private final Map<Topic, Integer> total = new HashMap<>();

  private static Rotation weighted() {
    return new Rotation(
        List.of(A, B, C), topic -> topic.equals(A) ? 3 : 1, UnaryOperator.identity());
  }

  /** A turn in which every topic takes what it may have, up to {@code most}. */
  private int turn(Rotation rotation, List<Topic> wanting, int capacity, int most) {
    List<Topic> topics = rotation.begin(wanting, capacity);
    int left = capacity;
    for (int i = 0; i < topics.size() && left > 0; i++) {
      int took = Math.min(most, rotation.share(topics.subList(i, topics.size()), left));
      rotation.took(topics.get(i), took);
      total.merge(topics.get(i), took, Integer::sum);
      left -= took;
    }
    return left;
  }

  @Test
  void begin_namesOfOneBinding_shareItsWeight() {
    Rotation shared =
        new Rotation(List.of(A, B, C), topic -> 1, topic -> topic.equals(C) ? B : topic);
    Map<Topic, Integer> taken = new HashMap<>();
    for (int turn = 0; turn < 30; turn++) {
      List<Topic> order = shared.begin(List.of(A, B, C), 40);
      int left = 40;
      for (int i = 0; i < order.size(); i++) {
        int share = shared.share(order.subList(i, order.size()), left);
        shared.took(order.get(i), share);
        taken.merge(order.get(i), share, Integer::sum);
        left -= share;
      }
    }
    assertThat(taken.get(A)).isBetween(580, 620);
    assertThat(taken.get(B)).isBetween(280, 320);
  }

  @Test
  void largeRoom_isDividedByWeight() {
    turn(weighted(), List.of(A, B, C), 100, 100);
    assertThat(total).isEqualTo(Map.of(A, 60, B, 20, C, 20));
  }

  @Test
  void roomForOne_isDividedByWeightOverTheTurns() {
    Rotation rotation = weighted();
    for (int i = 0; i < 500; i++) {
      assertThat(turn(rotation, List.of(A, B, C), 1, 1)).isZero();
    }
    assertThat(total.get(A)).isBetween(295, 305);
    assertThat(total.get(B)).isBetween(95, 105);
    assertThat(total.get(C)).isBetween(95, 105);
  }

  @Test
  void whatOneCannotTake_isForTheOthers() {
    Rotation rotation = weighted();
    assertThat(turn(rotation, List.of(B), 50, 100)).isZero();
    assertThat(total).isEqualTo(Map.of(B, 50));
  }

  @Test
  void whoWasAlone_owesNothingAfterwards() {
    Rotation rotation = weighted();
    for (int i = 0; i < 1_000; i++) {
      turn(rotation, List.of(B), 10, 10);
    }
    total.clear();
    for (int i = 0; i < 10; i++) {
      turn(rotation, List.of(B, C), 10, 10);
    }
    assertThat(total.get(B)).isBetween(45, 55);
  }
}
