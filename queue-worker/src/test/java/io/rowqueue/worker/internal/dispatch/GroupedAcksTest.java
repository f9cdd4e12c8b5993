package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Guice;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.internal.WorkerThreads;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GroupedAcksTest {

  private static final LockId ME = LockId.create("me", 1);
  private static final Body EMPTY = new Body(true, new byte[0], null, 0, 0);

  private final Server server = new Server();
  private final GroupedAcks acks =
      new GroupedAcks(server, Guice.createInjector().getInstance(WorkerThreads.class));

  private static Claim claim(long id) {
    return new Claim(
        new MessageId(id), new Topic("order"), ME, 1, 0, 0, false, Instant.EPOCH, null, EMPTY);
  }

  private static List<Claim> claims(long... ids) {
    return LongStream.of(ids).mapToObj(GroupedAcksTest::claim).toList();
  }

  /** What was added before it began is one group. */
  private void ackAll(long... ids) {
    claims(ids).forEach(acks::add);
    acks.close();
    acks.ackUntil(() -> false);
    assertThat(acks.pending()).isZero();
    assertThat(server.ended).containsExactlyElementsOf(claims(ids));
  }

  @Test
  void group_thatTheServerTakes_isOneTransaction() {
    ackAll(1, 2, 3);
    assertThat(server.acked).containsExactlyElementsOf(claims(1, 2, 3));
    assertThat(server.transactions).isOne();
  }

  @Test
  void group_withOneThatIsRefused_losesOnlyThatOne() {
    server.refuses.add(claim(2));
    ackAll(1, 2, 3);
    assertThat(server.acked).containsExactlyElementsOf(claims(1, 3));
    assertThat(server.refused).containsExactly(claim(2));
  }

  /** As the completion of a batch that cannot be encoded. */
  @Test
  void group_withOneThatFailsInJava_losesOnlyThatOne() {
    server.fails.add(claim(2));
    ackAll(1, 2, 3);
    assertThat(server.acked).containsExactlyElementsOf(claims(1, 3));
    assertThat(server.refused).containsExactly(claim(2));
  }

  @Test
  void single_thatIsRefused_isTriedOnceMoreBeforeItPays() {
    server.refuses.add(claim(1));
    ackAll(1);
    assertThat(server.refused).containsExactly(claim(1));
    assertThat(server.transactions).isEqualTo(2);
  }

  @Test
  void group_whoseDatabaseGoesAfterARefusal_asksNoMoreOfIt() {
    server.refuses.add(claim(1));
    server.goneFrom = 2;
    ackAll(1, 2, 3);
    assertThat(server.acked).isEmpty();
    assertThat(server.refused).containsExactly(claim(1));
    assertThat(server.transactions).as("all, the first, the second").isEqualTo(3);
  }

  @Test
  void group_whoseServerTakesNothingForAWhile_isAckedInTheEnd() {
    claims(1, 2).forEach(acks::add);
    server.goneFor = 3;
    acks.ackUntil(() -> acks.pending() == 0);
    assertThat(server.acked).containsExactlyElementsOf(claims(1, 2));
    assertThat(server.transactions).isEqualTo(4);
    assertThat(server.ended).containsExactlyElementsOf(claims(1, 2));
  }

  @Test
  void failure_ofAnyKind_endsNoThread() {
    server.error = new StackOverflowError("of a bug");
    ackAll(1, 2);
    assertThat(server.acked).isEmpty();
    server.error = null;
    server.ended.clear();
    server.refuses.add(claim(3));
    server.refusalFails = true;
    ackAll(3, 4);
    assertThat(server.acked).containsExactly(claim(4));
    server.endFails = true;
    claims(5).forEach(acks::add);
    acks.ackUntil(() -> false);
    assertThat(acks.pending()).isZero();
  }

  /** Refuses whole transactions, as a server does. */
  private static final class Server implements GroupedAcks.Acker {
    final Set<Claim> refuses = new HashSet<>();
    final Set<Claim> fails = new HashSet<>();
    final List<Claim> acked = new ArrayList<>();
    final List<Claim> refused = new ArrayList<>();
    final List<Claim> ended = new ArrayList<>();
    long goneFrom = Long.MAX_VALUE;
    int goneFor;
    boolean refusalFails;
    boolean endFails;
    @Nullable Error error;
    int transactions;

    @Override
    public int ackAll(List<Claim> claims) {
      transactions++;
      if (error != null) {
        throw error;
      }
      if (claims.stream().anyMatch(fails::contains)) {
        throw new IllegalArgumentException("of a bug");
      }
      if (claims.stream().anyMatch(refuses::contains)) {
        throw failed(new SQLException("a trigger says no", "45000", 1644));
      }
      if (claims.stream().anyMatch(claim -> claim.id().value() >= goneFrom)) {
        throw failed(new SQLException("gone", "08S01", 0));
      }
      if (goneFor-- > 0) {
        throw failed(new SQLException("gone", "08S01", 0));
      }
      acked.addAll(claims);
      return claims.size();
    }

    private static QueueException failed(SQLException answer) {
      return new DatabaseUnavailableException("ack failed", answer);
    }

    @Override
    public void refused(Claim claim, Throwable refusal) {
      if (refusalFails) {
        throw new IllegalStateException("of a bug");
      }
      refused.add(claim);
    }

    @Override
    public void ended(List<Claim> claims) {
      if (endFails) {
        throw new StackOverflowError("of a bug");
      }
      ended.addAll(claims);
    }
  }
}
