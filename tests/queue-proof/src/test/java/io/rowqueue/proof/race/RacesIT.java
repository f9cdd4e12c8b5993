package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.race.Pair.Race;
import io.rowqueue.proof.race.Pair.Situation;
import io.rowqueue.proof.sample.Sample;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/*
 * Goal: whoever comes to a row that another transaction holds either waits for it and then counts for
 * nothing, or does not wait and takes nothing from it.
 * Method: the winner is held between its last statement and its COMMIT. The loser comes, and is seen
 * in the server to wait, or answers. The winner commits. Then every row of every table is what the
 * winner's COMMIT had promised; or, where both count, what the two leave one after the other. The
 * idea of a winner that provably holds the lock is solid_queue's, from its claimed-execution
 * concurrency test.
 */
@QueueTest
class RacesIT {

  private static Arena arena;

  @BeforeAll
  static void open(QueueDatabase database) {
    arena = new Arena(database);
  }

  @AfterAll
  static void close() throws Exception {
    arena.close();
  }

  @TestFactory
  Stream<DynamicTest> pair() {
    return Sample.of(RacesIT.class, 4, Pair.all().toList()).tests(RacesIT::race);
  }

  /** Those that look first and then write, each with what can take away what it has seen. */
  static Stream<Arguments> stalePairs() {
    return Pair.all()
        .filter(pair -> pair.loser().looksFirst() && pair.loserCouldWin())
        .map(pair -> Arguments.of(pair.winner(), pair.loser()));
  }

  static Stream<Arguments> situations() {
    return Arrays.stream(Contender.values())
        .flatMap(
            contender ->
                contender.situations().stream()
                    .map(situation -> Arguments.of(contender, situation)));
  }

  private static void race(Pair pair) throws Exception {
    Race race = arena.race(pair);
    assertThat(race.winner()).as(pair.winner() + "'s answer").isEqualTo(pair.winner().done());
    assertThat(race.waitedAt())
        .as("where the server saw somebody wait; the rule: %s", pair.rule().reason())
        .isEqualTo(pair.meeting().waits() ? List.of(pair.waitsAt()) : List.of());
    if (pair.meeting().loses()) {
      assertThat(race.loser()).as(pair.loser() + "'s answer").isEqualTo(pair.loser().lost());
      assertThat(race.after().exact()).isEqualTo(race.promised().exact());
    } else {
      assertThat(race.loser()).as(pair.loser() + "'s answer").isEqualTo(pair.loser().done());
      assertThat(race.after().timeless())
          .isEqualTo(arena.oneAfterTheOther(pair).after().timeless());
    }
    assertThat(arena.repetitions()).as("what was rolled back and run again").isEmpty();
  }

  /** What was read without locks is asked for again under the lock. */
  @ParameterizedTest(name = "{1} has looked, {0} comes and goes, and {1} acts on what is there now")
  @MethodSource("stalePairs")
  void poll_thatWasOvertaken_doesNoHarm(Contender winner, Contender loser) throws Exception {
    Pair pair = new Pair(winner, loser);
    Race race = arena.overtaken(pair);
    Race inOrder = arena.oneAfterTheOther(pair);
    assertThat(race.winner()).as(winner + "'s answer").isEqualTo(winner.done());
    assertThat(race.loser()).as(loser + "'s answer").isEqualTo(inOrder.loser());
    assertThat(race.after().timeless()).isEqualTo(inOrder.after().timeless());
    if (race.loser().equals(loser.lost())) {
      assertThat(race.after().exact()).isEqualTo(race.promised().exact());
    }
  }

  @ParameterizedTest(name = "{0} alone has its effect in {1}")
  @MethodSource("situations")
  void alone(Contender contender, Situation situation) throws Exception {
    assertThat(arena.alone(contender, situation)).isEqualTo(contender.done());
  }
}
