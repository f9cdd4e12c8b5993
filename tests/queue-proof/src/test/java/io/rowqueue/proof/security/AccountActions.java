package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import io.rowqueue.worker.internal.grant.Grant;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** What an account does, each action by itself, on tables that an administrator has arranged. */
final class AccountActions {

  /**
   * The server's numbers for a privilege that is missing: of a table, column, schema, server, or to
   * end another account's statement.
   */
  private static final Set<Integer> DENIED = Set.of(1142, 1143, 1044, 1227, 1095);

  private final Runnable before;
  private final List<Play> plays = new ArrayList<>();
  private final Map<Play, String> sent = new HashMap<>();

  private final List<SQLException> denials = new CopyOnWriteArrayList<>();

  private record Play(String name, Supplier<String> action) {}

  /** Each begins after {@code before}. */
  AccountActions(Runnable before) {
    this.before = before;
  }

  /** Connections of {@code account}, so that a denial is noticed that the product only logs. */
  DataSource watched(DataSource account) {
    return TappedConnections.over(
        account,
        new Tap() {
          @Override
          public void failed(SQLException failure) {
            // Flyway asks MySQL for the session's variables, and goes on without.
            if (DENIED.contains(failure.getErrorCode())
                && !String.valueOf(failure.getMessage()).contains("user_variables_by_thread")) {
              denials.add(failure);
            }
          }
        });
  }

  void add(String name, Runnable action) {
    add(
        name,
        () -> {
          action.run();
          return "";
        });
  }

  /** Adds one. */
  void add(String name, Supplier<String> action) {
    plays.add(new Play(name, action));
  }

  void assertAllowed() {
    for (Play play : plays) {
      before.run();
      denials.clear();
      try {
        sent.put(play, play.action.get().toLowerCase(Locale.ROOT));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(play.name + " fails: " + e.getMessage(), e);
      }
      assertThat(denials).as("denied to " + play.name).isEmpty();
    }
  }

  /**
   * The first that the server denies, empty if there is none. Those that have sent what {@code
   * missing} is for come first.
   */
  Optional<String> firstDenied(Grant missing) {
    List<String> words = new ArrayList<>(List.of(missing.table(), missing.privilege()));
    words.addAll(missing.columns());
    Comparator<Play> likely =
        Comparator.comparing(
            play ->
                words.stream()
                    .filter(
                        word -> sent.getOrDefault(play, "").contains(word.toLowerCase(Locale.ROOT)))
                    .count());
    return plays.stream()
        .sorted(likely.reversed())
        .map(play -> denial(play, missing.privilege().equals("PROCESS")))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** The names of those that the server does not deny, or for no lack of a privilege. */
  List<String> allowed() {
    return plays.stream().filter(play -> denial(play, false).isEmpty()).map(Play::name).toList();
  }

  /** What the lack of a privilege only hides fails without a denial. */
  private Optional<String> denial(Play play, boolean hidden) {
    before.run();
    denials.clear();
    Optional<String> failure = Optional.empty();
    try {
      var unused = play.action.get();
    } catch (RuntimeException | AssertionError e) {
      failure = Optional.of(play.name + ": " + e.getMessage());
    }
    return denials.isEmpty() && !hidden
        ? Optional.empty()
        : failure.or(() -> hidden ? Optional.empty() : Optional.of(play.name));
  }
}
