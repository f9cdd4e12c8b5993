package io.rowqueue.proof.model;

import java.time.Duration;

/** The server's clock moves on, under open transactions too. */
final class TimePasses implements Action {

  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration MEDIUM = Duration.ofSeconds(4);

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) throws Exception {
    Duration time =
        choices.of(
            SHORT,
            SHORT,
            MEDIUM,
            MEDIUM,
            MEDIUM,
            Model.LEASE.plusSeconds(1),
            Model.LEASE.plusSeconds(1),
            Duration.ofDays(1));
    world.say("%d s pass".formatted(time.toSeconds()));
    world.pass(time);
  }
}
