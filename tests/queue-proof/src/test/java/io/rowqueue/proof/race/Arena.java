package io.rowqueue.proof.race;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.proof.race.Pair.Race;
import io.rowqueue.proof.race.Pair.Situation;
import io.rowqueue.proof.race.Player.Gate;
import io.rowqueue.proof.race.Player.Shut;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.LockWaits;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Where races are run: a schema, and the two sides. */
final class Arena implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Topic TOPIC = new Topic(Player.TOPIC);

  /** The same in every race, so that their rows can be compared; a plain INSERT chooses its id. */
  private static final LockId WORKER = new LockId("host-1-race");

  private static final List<String> MESSAGE =
      List.of(
          "DELETE FROM effect",
          "INSERT INTO queue_message (id, topic, attempts, payload)"
              + " VALUES (7, 'race', 1, '\"effect\"')",
          "INSERT INTO queue_attempt VALUES"
              + " (7, 0, 1, 'w', UTC_TIMESTAMP(6), 'E', 'an earlier failure', 'trace')",
          "INSERT INTO queue_cancel_request VALUES (7, UTC_TIMESTAMP(6), 'ada')",
          "INSERT INTO queue_slot VALUES ('race', 0, 'host-1-race', UTC_TIMESTAMP(6))");

  private static final List<String> LATER =
      List.of(
          "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND",
          "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");

  private final QueueDatabase database;
  private final Connection onlooker;
  private final Player winner;
  private final Player loser;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  Arena(QueueDatabase database) {
    this.database = database;
    this.onlooker = database.connect();
    this.winner = new Player(database);
    this.loser = new Player(database);
    database.execute("CREATE TABLE effect (what VARCHAR(20) NOT NULL)");
  }

  /** Holds the winner at its COMMIT, lets the loser come, and then lets the winner go on. */
  Race race(Pair pair) throws Exception {
    database.clean();
    Claim claim = arrange(pair.situation());
    Gate.Hold hold = winner.gate().closeFor(pair.winner().transition());
    loser.gate().open();
    try {
      CompletableFuture<String> won = start(pair.winner(), winner, claim);
      CompletableFuture.anyOf(hold.reached(), won).get(SOON.toSeconds(), TimeUnit.SECONDS);
      if (won.isDone()) {
        throw new AssertionError(pair.winner() + " came to no COMMIT: " + won.join());
      }
      Rows promised = Rows.promised(onlooker);
      CompletableFuture<String> lost = start(pair.loser(), loser, claim);
      List<String> waitedAt = awaitWaitOrAnswer(pair, lost);
      hold.admitNext();
      return new Race(
          won.get(SOON.toSeconds(), TimeUnit.SECONDS),
          lost.get(SOON.toSeconds(), TimeUnit.SECONDS),
          waitedAt,
          promised,
          Rows.committed(onlooker));
    } finally {
      hold.admitNext();
    }
  }

  /** Lets the loser look, runs the winner from beginning to end, and lets the loser go on. */
  Race overtaken(Pair pair) throws Exception {
    Claim claim = arrange(pair.situation());
    CompletableFuture<String> late;
    String won;
    Rows left;
    try (Shut shut = loser.shut()) {
      late = start(pair.loser(), loser, claim);
      Await.that(
          pair.loser() + " has looked and is about to write",
          SOON,
          () -> shut.isWaitedFor() || late.isDone());
      if (late.isDone()) {
        throw new AssertionError(pair.loser() + " has not looked first: " + late.join());
      }
      won = start(pair.winner(), winner, claim).get(SOON.toSeconds(), TimeUnit.SECONDS);
      left = Rows.committed(onlooker);
    }
    String answer = late.get(SOON.toSeconds(), TimeUnit.SECONDS);
    return new Race(won, answer, List.of(), left, Rows.committed(onlooker));
  }

  /** Runs one after the other, undisturbed. */
  Race oneAfterTheOther(Pair pair) throws Exception {
    database.clean();
    Claim claim = arrange(pair.situation());
    String first = start(pair.winner(), winner, claim).join();
    Rows left = Rows.committed(onlooker);
    String second = start(pair.loser(), loser, claim).join();
    return new Race(first, second, List.of(), left, Rows.committed(onlooker));
  }

  /** What {@code contender} answers when nobody else is there. */
  String alone(Contender contender, Situation situation) throws SQLException {
    return start(contender, winner, arrange(situation)).join();
  }

  /** What either side had to run again, because it was rolled back. */
  List<String> repetitions() {
    return List.of(winner, loser).stream()
        .flatMap(player -> player.gate().repetitions().stream())
        .toList();
  }

  private CompletableFuture<String> start(Contender contender, Player player, Claim claim) {
    return CompletableFuture.supplyAsync(() -> contender.run(player, claim), threads);
  }

  /**
   * Whoever is not to wait is awaited: MariaDB shows a statement with SKIP LOCKED as waiting for
   * the moment that it takes to pass over the row.
   */
  private List<String> awaitWaitOrAnswer(Pair pair, CompletableFuture<String> answer) {
    LockWaits waits = new LockWaits(onlooker, database.isMariaDb());
    boolean waitCounts = pair.meeting().waits();
    return Await.until(
            pair.loser() + (waitCounts ? " waits or has answered" : " has answered"),
            SOON,
            () -> answer.isDone() ? new Seen(true, List.of()) : new Seen(false, waits.tables()),
            seen -> seen.answered || (waitCounts && !seen.waitedAt.isEmpty()))
        .waitedAt;
  }

  private Claim arrange(Situation situation) throws SQLException {
    execute(MESSAGE);
    winner
        .get(WorkerRegistry.class)
        .register(
            new WorkerRegistration(WORKER, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE),
            Duration.ofMinutes(1));
    Claim claim =
        winner.get(ClaimStrategy.class).claim(new ClaimRequest(TOPIC, WORKER, 1, 1)).get(0);
    execute(Stream.concat(LATER.stream(), situation.changes().stream()).toList());
    situation.settle(winner, claim);
    return claim;
  }

  private void execute(List<String> statements) throws SQLException {
    onlooker.setAutoCommit(false);
    try (Statement statement = onlooker.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      onlooker.commit();
    } finally {
      onlooker.setAutoCommit(true);
    }
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    winner.close();
    loser.close();
    onlooker.close();
  }

  private record Seen(boolean answered, List<String> waitedAt) {}
}
