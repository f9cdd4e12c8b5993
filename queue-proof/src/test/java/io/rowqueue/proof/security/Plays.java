package io.rowqueue.proof.security;

import io.rowqueue.testkit.QueueDatabase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What an account does, each play by itself, on a stage that an administrator has set for it. */
final class Plays {

  private final Runnable before;
  private final Map<String, Runnable> plays = new LinkedHashMap<>();

  /** Each begins on an empty queue. */
  Plays(QueueDatabase database) {
    this(database::clean);
  }

  /** Each begins after {@code before}. */
  Plays(Runnable before) {
    this.before = before;
  }

  /** For what must come about on the way. */
  static void hold(boolean expected) {
    if (!expected) {
      throw new AssertionError("it had no effect");
    }
  }

  void add(String name, Runnable play) {
    plays.put(name, play);
  }

  /** Plays everything; the names of those that failed, each with why. */
  Set<String> failing() {
    return plays.entrySet().stream()
        .flatMap(play -> failure(play).stream())
        .collect(Collectors.toSet());
  }

  /** The first that fails, with why; empty if none does. */
  Optional<String> firstFailing() {
    return plays.entrySet().stream().flatMap(play -> failure(play).stream()).findFirst();
  }

  private Optional<String> failure(Map.Entry<String, Runnable> play) {
    before.run();
    try {
      play.getValue().run();
      return Optional.empty();
    } catch (RuntimeException | AssertionError e) {
      return Optional.of(play.getKey() + ": " + e.getMessage());
    }
  }
}
