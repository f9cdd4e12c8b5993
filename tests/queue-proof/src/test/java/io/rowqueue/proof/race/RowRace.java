package io.rowqueue.proof.race;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.Messages;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A race for one row, between two sides of which the first can be held at its COMMIT. */
abstract class RowRace {

  static final Topic TOPIC = new Topic(Player.TOPIC);
  static final LockId WORKER = new LockId("host-1-race");
  static final AttemptError ERROR = new AttemptError("E", "m", "t");

  final QueueDatabase database;
  Player player;
  ExternalBody external;

  RowRace(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  final void openPlayer() {
    player = new Player(database);
    external = new ExternalBody(database, player.gate());
  }

  @AfterEach
  final void closePlayer() {
    player.close();
  }

  final List<Claim> claims() {
    return player.get(ClaimStrategy.class).claim(new ClaimRequest(TOPIC, WORKER, 10, 1));
  }

  final boolean deadLetter(Claim claim) {
    return player.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  final int ack(List<Claim> claims) {
    return player.get(Settler.class).ackAll(claims);
  }

  final boolean cancel(MessageId id) {
    player.get(Messages.class).cancel(id);
    return true;
  }
}
