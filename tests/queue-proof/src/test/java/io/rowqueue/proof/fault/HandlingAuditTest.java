package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.HandlingAudit.Attempt;
import io.rowqueue.proof.fault.HandlingAudit.Facts;
import io.rowqueue.proof.fault.HandlingAudit.Limit;
import io.rowqueue.proof.fault.HandlingAudit.Message;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandlingAuditTest {

  private static final long WORKER = 7;
  private static final long OTHER = 8;

  /** Far from what the faults of one test have to do with the others. */
  private static final long START = Duration.ofHours(1).toNanos();

  private static final long HONORED = START + HandlingAudit.LIMIT_HONORED_AFTER.toNanos();
  private static final long UNTIL = HONORED + 1_000_000;
  private static final Limit ONE = new Limit(FaultTopics.LIMITED, 1, START, UNTIL);
  private static final Limit TWO_OF_A_KEY = new Limit(FaultTopics.KEY_LIMITED, 2, START, UNTIL);

  private static final long WHOLE = Duration.ofMillis(FaultTopics.LONG_MILLIS).toNanos();
  private static final String FOUND_ENDED = "ended in the time that it was granted";
  private static final String FOUND_OVERLAP = "two at one time and no fault between";

  @TempDir private Path home;
  private final Map<Long, Message> messages = new HashMap<>();
  private final Map<Long, StringBuilder> journals = new HashMap<>();
  private final Set<Long> present = new HashSet<>();
  private final Set<Long> removed = new HashSet<>();
  private final Set<Long> cancelRequested = new HashSet<>();
  private final List<Limit> limits = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Injection> injections = new ArrayList<>();

  private HandlingAudit audit() throws IOException {
    for (Map.Entry<Long, StringBuilder> each : journals.entrySet()) {
      Files.writeString(home.resolve(each.getKey() + ".journal"), each.getValue());
    }
    Facts facts = new Facts(messages, present, removed, cancelRequested, limits, attempts);
    return new HandlingAudit(facts, Journal.read(home), injections);
  }

  private List<String> findings() throws IOException {
    return audit().findings();
  }

  private void assertFound(String... beginnings) throws IOException {
    List<String> findings = findings();
    assertThat(findings).hasSize(beginnings.length);
    for (int i = 0; i < beginnings.length; i++) {
      assertThat(findings.get(i)).startsWith(beginnings[i]);
    }
  }

  private void message(long id, String topic, String key) {
    messages.put(id, new Message(topic, "SUCCEED", key));
  }

  /** One of attempt 1; without an outcome it never ends. */
  private void handled(long pid, String idAndClaim, long begin, long end, String outcome) {
    StringBuilder journal = journals.computeIfAbsent(pid, any -> new StringBuilder());
    journal.append("begin %s 1 %d\n".formatted(idAndClaim, begin));
    if (!outcome.isEmpty()) {
      journal.append("end %s %s %d\n".formatted(idAndClaim, outcome, end));
    }
  }

  private void returned(long pid, String idAndClaim, long begin, long end) {
    handled(pid, idAndClaim, begin, end, "returned");
  }

  private void hit(long from, long until, Long... victims) {
    injections.add(new Injection("fault", from, until, until, Set.of(victims)));
  }

  /** So many of one key, one begun each {@code apart}, each of which takes {@code nanos}. */
  private void many(String topic, int count, long begin, long apart, long nanos) {
    for (int i = 0; i < count; i++) {
      long id = messages.size() + 1L;
      message(id, topic, "a");
      returned(WORKER, id + " 1", begin + i * apart, begin + i * apart + nanos);
    }
  }

  private void twoClaimsAtOneTime() {
    message(1, FaultTopics.ALONE, "");
    returned(WORKER, "1 1", START, START + 20);
    returned(OTHER, "1 2", START + 10, START + 30);
  }

  private void claimBehindOneWithoutEnd() {
    message(1, FaultTopics.ALONE, "");
    handled(WORKER, "1 1", START, 0, "");
    returned(OTHER, "1 2", START + 1_000, START + 2_000);
  }

  @Test
  void twoClaimsAtOneTime_areFound_butForAFaultOfTheOlderOnesProcess() throws IOException {
    twoClaimsAtOneTime();
    assertFound(FOUND_OVERLAP);
    hit(START + 5, START + 6, OTHER);
    assertFound(FOUND_OVERLAP);
    hit(START - 9, START - 1, WORKER);
    hit(START + 11, START + 12, WORKER);
    assertThat(findings()).as("over before, or behind").hasSize(1);
    hit(START + 5, START + 6, WORKER);
    assertThat(findings()).isEmpty();
  }

  /** The window of a fault has an end: what happens behind it is found. */
  @Test
  void claimsBehindTheWindow_areFound() throws IOException {
    twoClaimsAtOneTime();
    injections.add(new Injection("f", START - 100, START - 90, START - 1, Injection.EVERYBODY));
    assertFound(FOUND_OVERLAP);
    injections.add(new Injection("f", START - 100, START - 90, START, Injection.EVERYBODY));
    assertThat(findings()).isEmpty();
  }

  /** One that was stopped between its claim and its handler begins later than its successor. */
  @Test
  void olderClaimThatBeginsLater_isExplainedByAFaultOfItsProcess() throws IOException {
    message(1, FaultTopics.ALONE, "");
    returned(OTHER, "1 2", START, START + 20);
    returned(WORKER, "1 1", START + 10, START + 30);
    assertFound(FOUND_OVERLAP);
    hit(START, START, WORKER);
    assertThat(findings()).isEmpty();
  }

  @Test
  void noProcessThatWasHit_explainsNothing() throws IOException {
    twoClaimsAtOneTime();
    injections.add(new Injection("f", START, START, START + 50, Injection.NOBODY));
    assertFound(FOUND_OVERLAP);
  }

  /** A process that was killed never ends its handlings. */
  @Test
  void handlingWithoutEnd_isExplainedByTheKillOfItsProcess() throws IOException {
    claimBehindOneWithoutEnd();
    assertFound(FOUND_OVERLAP);
    hit(START + 10, START + 10, WORKER);
    assertThat(findings()).isEmpty();
  }

  @Test
  void handlersThatHangOrEndTheirProcess_areFaultsOfTheirOwn() throws IOException {
    claimBehindOneWithoutEnd();
    for (String ending : List.of("HANG", "KILL")) {
      messages.put(2L, new Message(FaultTopics.ALONE, ending, ""));
      handled(WORKER, "2 1", START + 20, 0, "");
      assertThat(findings()).as(ending).isEmpty();
      journals.put(WORKER, new StringBuilder("begin 1 1 1 %d\n".formatted(START)));
      assertFound(FOUND_OVERLAP);
    }
  }

  @Test
  void messageThatWasNeverCommitted_isFound() throws IOException {
    returned(WORKER, "1 1", START, START + 1);
    assertFound("message 1 was never committed, and was handled");
  }

  @Test
  void externalEffectAgain_isFound_butForAFault_andIsCounted() throws IOException {
    message(1, FaultTopics.OUTSIDE, "");
    handled(WORKER, "1 1", START, START + 1, "failed");
    returned(WORKER, "1 2", START + 2, START + 3);
    assertThat(audit().againOutside()).isZero();
    returned(OTHER, "1 3", START + 4, START + 5);
    assertFound("handled again and no fault between");
    hit(START + 3, START + 3, WORKER);
    assertThat(findings()).isEmpty();
    assertThat(audit().againOutside()).isOne();
  }

  @Test
  void externalEffectThatNeverHappened_isFound_andLost() throws IOException {
    message(1, FaultTopics.OUTSIDE, "");
    handled(WORKER, "1 1", START, START + 1, "failed");
    assertFound("message 1 was acknowledged, and its external effect never happened");
    assertThat(audit().lostOutside()).isOne();
    present.add(1L);
    assertThat(findings()).isEmpty();
  }

  @Test
  void longHandling_thatHadItsTime_isFine() throws IOException {
    message(1, FaultTopics.LONG, "");
    returned(WORKER, "1 1", START, START + WHOLE);
    assertThat(findings()).isEmpty();
  }

  @Test
  void longHandling_thatReturnsEarly_isFound() throws IOException {
    message(1, FaultTopics.LONG, "");
    returned(WORKER, "1 1", START, START + WHOLE - 1);
    assertFound(FOUND_ENDED);
  }

  /** No timeout that was not over has stopped it. */
  @Test
  void longHandling_thatFails_isFoundBehindItsTimeout_butForAFault() throws IOException {
    long timeout = FaultTopics.LONG_TIMEOUT.toNanos();
    message(1, FaultTopics.LONG, "");
    handled(WORKER, "1 1", START, START + timeout - 1, "failed");
    assertThat(findings()).isEmpty();
    message(2, FaultTopics.LONG, "");
    handled(WORKER, "2 1", START, START + timeout, "failed");
    assertFound(FOUND_ENDED);
    hit(START, START + 1, WORKER);
    assertThat(findings()).isEmpty();
  }

  @Test
  void cancelledHandling_isFine_whereItWasRequested() throws IOException {
    message(1, FaultTopics.LONG, "");
    handled(WORKER, "1 1", START, START + WHOLE - 1, "cancelled");
    assertFound("cancelled without a request");
    cancelRequested.add(1L);
    assertThat(findings()).isEmpty();
  }

  @Test
  void countedAttempt_mustHaveBegunAndFailed() throws IOException {
    message(1, FaultTopics.ALONE, "");
    handled(WORKER, "1 1", START, START + 1, "failed");
    attempts.add(new Attempt(1, 1, "E"));
    assertThat(findings()).isEmpty();
    attempts.add(new Attempt(1, 2, "E"));
    assertFound("an attempt was counted that did not fail: Attempt[id=1, claim=2");
    returned(WORKER, "1 2", START + 2, START + 3);
    assertFound("an attempt was counted that did not fail: Attempt[id=1, claim=2");
  }

  @ParameterizedTest
  @ValueSource(strings = {FaultTopics.ORDERED, FaultTopics.FORMER, FaultTopics.HELD})
  void twoOfAnOrderingKeyAtOneTime_areFound_butForAFault(String topic) throws IOException {
    message(1, topic, "a");
    message(2, topic, "a");
    returned(WORKER, "1 1", START, START + 10);
    returned(OTHER, "2 1", START + 5, START + 15);
    hit(START, START, OTHER);
    assertFound("two of one ordering key at one time");
    hit(START, START, WORKER);
    assertThat(findings()).isEmpty();
  }

  @Test
  void twoWithoutOrderingKey_mayBeAtOneTime() throws IOException {
    message(1, FaultTopics.FORMER, "");
    message(2, FaultTopics.FORMER, "");
    returned(WORKER, "1 1", START, START + 10);
    returned(OTHER, "2 1", START + 5, START + 15);
    assertThat(findings()).isEmpty();
  }

  private void oneByOne(String topic, String... handlings) {
    journals.clear();
    message(1, topic, "a");
    message(2, topic, "a");
    for (int i = 0; i < handlings.length; i++) {
      returned(WORKER, handlings[i], START + 10L * i, START + 10L * i + 5);
    }
  }

  @Test
  void messageThatHasBegun_endsBeforeAnotherOfItsKey() throws IOException {
    oneByOne(FaultTopics.HELD, "1 1", "1 2", "2 1", "2 2");
    assertThat(findings()).isEmpty();
    oneByOne(FaultTopics.HELD, "1 2", "2 1", "1 1", "2 2");
    assertThat(findings()).as("the older claim was lost").isEmpty();
    oneByOne(FaultTopics.ORDERED, "1 1", "2 1", "1 2");
    assertThat(findings()).as("dead letters leave this key, and come back").isEmpty();
    oneByOne(FaultTopics.HELD, "1 1", "2 1", "1 2");
    hit(START, START + 100, WORKER, OTHER);
    assertFound("a blocked ordering key went on");
    removed.add(2L);
    assertThat(findings()).isEmpty();
  }

  static List<Arguments> concurrency() {
    return List.of(
        Arguments.of(FaultTopics.LIMITED, FaultTopics.MOST_LIMITED),
        Arguments.of(FaultTopics.KEY_LIMITED, FaultTopics.MOST_KEY_LIMITED),
        Arguments.of(FaultTopics.KEY_RATED, FaultTopics.MOST_KEY_RATED));
  }

  @ParameterizedTest
  @MethodSource("concurrency")
  void moreAtOneTimeThanMayBe_areFound_butForAFault(String topic, int most) throws IOException {
    many(topic, most, START, 1, 100);
    assertThat(findings()).isEmpty();
    many(topic, 1, START + most, 1, 100);
    assertFound("more than may be at one time");
    hit(START, START + 1, OTHER);
    hit(START + 1_000, START + 1_001, WORKER);
    assertThat(findings()).hasSize(1);
    hit(START, START + 1, WORKER);
    assertThat(findings()).isEmpty();
  }

  /** In a tenth of a second: two are filled in, one is held, and one was drawn before. */
  @Test
  void moreThanTheRateAllows_areFound_whateverWasHit() throws IOException {
    many(FaultTopics.RATED, 6, START, 1, 1);
    assertThat(findings()).isEmpty();
    hit(START, START + 100, WORKER);
    many(FaultTopics.RATED, 1, START + 6, 1, 1);
    assertFound("7 begun within 100 ms");
  }

  @Test
  void rateOverSeconds_isJudgedToo() throws IOException {
    many(FaultTopics.RATED, 1_000, START, Duration.ofMillis(50).toNanos(), 1);
    assertThat(findings()).isEmpty();
    many(FaultTopics.RATED, 1_000, 2 * START, Duration.ofMillis(40).toNanos(), 1);
    assertThat(findings()).isNotEmpty().allMatch(each -> each.contains("begun within"));
  }

  /** Each process draws for itself. */
  @Test
  void secondProcess_mayHaveDrawnBefore() throws IOException {
    many(FaultTopics.RATED, 6, START, 1, 1);
    message(100, FaultTopics.RATED, "a");
    returned(OTHER, "100 1", START + 10, START + 11);
    assertThat(findings()).isEmpty();
  }

  @Test
  void moreOfAKeyThanItsRateAllows_areFound_butOneAttemptCountsOnce() throws IOException {
    many(FaultTopics.KEY_RATED, 4, START, 10, 1);
    returned(OTHER, "4 2", START + 50, START + 51);
    assertThat(findings()).isEmpty();
    many(FaultTopics.KEY_RATED, 1, START + 60, 10, 1);
    assertFound("5 begun within 100 ms");
  }

  @Test
  void asManyAsTheLowerLimitAllows_areFine() throws IOException {
    limits.addAll(List.of(ONE, TWO_OF_A_KEY));
    many(FaultTopics.LIMITED, 100, HONORED, 1, 1);
    many(FaultTopics.KEY_LIMITED, 100, HONORED, 1, 2);
    assertThat(findings()).isEmpty();
  }

  @Test
  void oneMoreThanTheLowerLimitAllows_isFound() throws IOException {
    limits.add(ONE);
    many(FaultTopics.LIMITED, 2, HONORED, 1, 2);
    assertFound("Limit[topic=fault.limited, most=1,");
    assertThat(findings().get(0)).contains(" was not honored: more than may be at one time: ");
  }

  @Test
  void handlingsOfBeforeTheLimitWasDue_orBehindTheNextChange_areFine() throws IOException {
    limits.add(ONE);
    many(FaultTopics.LIMITED, 2, HONORED - 3, 1, 3);
    many(FaultTopics.LIMITED, 1, HONORED, 1, 1_000);
    many(FaultTopics.LIMITED, 2, UNTIL, 1, 1_000);
    assertThat(findings()).isEmpty();
  }

  /** Three of the key may have been admitted under the limit of before. */
  @Test
  void admittedOfAKeyBefore_isFine_andWhatComesBehindItIsNot() throws IOException {
    limits.add(TWO_OF_A_KEY);
    many(FaultTopics.KEY_LIMITED, 3, HONORED, 1, 3);
    many(FaultTopics.KEY_LIMITED, 2, HONORED + 6, 1, 1_000);
    assertThat(findings()).isEmpty();
    many(FaultTopics.KEY_LIMITED, 1, HONORED + 8, 1, 1_000);
    assertFound("Limit[topic=fault.limited.key, most=2");
  }

  @Test
  void fault_explainsThatItsVictimDoesNotKnowTheLimit_andWhatItHeldUp() throws IOException {
    limits.add(ONE);
    many(FaultTopics.LIMITED, 2, HONORED, 1, 2);
    for (Injection each :
        List.of(
            new Injection("f", START, START + 1, START + 1, Set.of(OTHER)),
            new Injection("f", START, HONORED, HONORED, Injection.NOBODY),
            new Injection("f", UNTIL, UNTIL + 1, UNTIL + 1, Injection.EVERYBODY))) {
      injections.add(each);
      assertThat(findings()).as(each.toString()).hasSize(1);
    }
    for (Injection each :
        List.of(
            new Injection("f", START, START + 1, START + 1, Set.of(WORKER)),
            new Injection("f", START, HONORED, HONORED, Set.of(OTHER)),
            new Injection("f", START, START + 1, START + 1, Injection.EVERYBODY))) {
      injections.clear();
      injections.add(each);
      assertThat(findings()).as(each.toString()).isEmpty();
    }
  }
}
