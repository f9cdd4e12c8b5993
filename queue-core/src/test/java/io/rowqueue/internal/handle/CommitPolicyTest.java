package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CommitPolicyTest {

  private static final long SHORT = Duration.ofMillis(1).toNanos();
  private static final long SLOW = Duration.ofMillis(10).toNanos();

  private final CommitPolicy policy = new CommitPolicy();

  private void succeed(int times, long nanos) {
    succeed(times, nanos, SHORT);
  }

  private void succeed(int times, long nanos, long commit) {
    for (int i = 0; i < times; i++) {
      policy.ackedAlone(nanos, commit);
    }
  }

  @Test
  void shares_afterEnoughShortHandlingsHaveSucceeded() {
    succeed(CommitPolicy.FIRST_TRIAL - 1, SHORT);
    assertThat(policy.shares()).isFalse();
    succeed(1, SHORT);
    assertThat(policy.shares()).isTrue();
  }

  @Test
  void shares_ofASlowHandler_whileItsCommitsAreSlow() {
    succeed(1_000, SLOW);
    assertThat(policy.shares()).isFalse();
    succeed(100, SLOW, SLOW);
    assertThat(policy.shares()).isTrue();
    assertThat(policy.isShort()).isFalse();
    assertThat(policy.takesMore(1, 0)).isTrue();
    assertThat(policy.takesMore(2, SLOW)).as("the first would wait for 20 ms").isFalse();
    succeed(100, SLOW);
    assertThat(policy.shares()).isFalse();
  }

  @Test
  void shares_ofAHandlerThatIsSlowerThanAGroupMayWait_never() {
    succeed(1_000, 2 * SLOW, 2 * SLOW);
    assertThat(policy.shares()).isFalse();
  }

  @Test
  void shares_onceItsHandlerBecomesSlow_noMore_andAgainWhenItIsShort() {
    succeed(100, SHORT);
    for (int i = 0; i < 20; i++) {
      policy.handledInGroup(SLOW);
    }
    assertThat(policy.shares()).isFalse();
    succeed(100, SHORT);
    assertThat(policy.shares()).isTrue();
  }

  @Test
  void shares_afterAFailure_onlyAfterAnotherTrial() {
    succeed(100, SHORT);
    policy.failedAlone();
    assertThat(policy.shares()).isFalse();
    succeed(CommitPolicy.FIRST_TRIAL, SHORT);
    assertThat(policy.shares()).isTrue();
  }

  @Test
  void shares_afterEachDisturbedGroup_afterTwiceAsManyHandlings_upToABound() {
    int trial = CommitPolicy.FIRST_TRIAL;
    while (trial < CommitPolicy.LONGEST_TRIAL) {
      trial *= 2;
      policy.disturbed();
      succeed(trial - 1, SHORT);
      assertThat(policy.shares()).isFalse();
      succeed(1, SHORT);
      assertThat(policy.shares()).isTrue();
    }
    policy.disturbed();
    succeed(CommitPolicy.LONGEST_TRIAL, SHORT);
    assertThat(policy.shares()).as("the bound").isTrue();
  }

  @Test
  void shares_afterManyWholeGroups_asAtFirst() {
    policy.disturbed();
    policy.committed(CommitPolicy.MAX_GROUP, SHORT);
    policy.committed(CommitPolicy.MAX_GROUP, SHORT);
    policy.committed(CommitPolicy.MAX_GROUP, SHORT);
    succeed(CommitPolicy.FIRST_TRIAL, SHORT);
    assertThat(policy.shares()).isTrue();
  }

  @Test
  void shares_ofAHandlerThatSentMoreThanRows_never() {
    policy.sentMoreThanRows();
    succeed(10_000, SHORT);
    assertThat(policy.shares()).isFalse();
  }

  @Test
  void takesMore_untilItsTimeOrItsNumberIsReached() {
    succeed(100, SHORT);
    assertThat(policy.takesMore(CommitPolicy.MAX_GROUP - 1, 0)).isTrue();
    assertThat(policy.takesMore(CommitPolicy.MAX_GROUP, 0)).isFalse();
    long longest = CommitPolicy.LONGEST_GROUP.toNanos();
    assertThat(policy.takesMore(1, longest - 2 * SHORT)).isTrue();
    assertThat(policy.takesMore(1, longest - SHORT / 2))
        .as("the next takes a millisecond")
        .isFalse();
  }

  @Test
  void takesMore_whereCommitsAreCheap_endsEarlier() {
    long cheap = Duration.ofNanos(400_000).toNanos();
    for (int i = 0; i < 200; i++) {
      policy.committed(10, cheap);
    }
    assertThat(policy.takesMore(1, 9 * cheap)).isTrue();
    assertThat(policy.takesMore(1, 11 * cheap)).isFalse();
  }
}
