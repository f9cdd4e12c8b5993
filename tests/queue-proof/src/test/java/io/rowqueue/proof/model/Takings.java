package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.proof.model.Rows.MessageRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What a claim may take of the available messages, as a pure function of them. */
final class Takings {

  private final ClaimRequest request;
  private final List<MessageRow> available;

  /** A claim as {@code request} says, where {@code messages} are all that there are. */
  Takings(ClaimRequest request, Model model) {
    this.request = request;
    this.available =
        model.messages.values().stream()
            .filter(MessageRow::isAvailable)
            .filter(row -> row.topic.equals(request.topic().name()))
            .sorted(
                Comparator.<MessageRow>comparingInt(row -> row.priority)
                    .thenComparingLong(row -> row.id))
            .toList();
  }

  /** Checks that {@code taken} is what {@code strategy} promises. */
  void check(Strategy strategy, List<Long> taken) {
    if (strategy.isExact()) {
      List<MessageRow> exact = strategy.oneByOne() ? oneByOne() : inOneGo();
      assertThat(taken).as("claimed by " + strategy).isEqualTo(ids(exact));
    } else {
      checkChosen(strategy, taken);
    }
  }

  /**
   * The first ones up to the limit, but no more suspects among them than allowed; for those that
   * must stay, the next that are none.
   */
  private List<MessageRow> inOneGo() {
    List<MessageRow> first = available.stream().limit(request.limit()).toList();
    List<MessageRow> kept = new ArrayList<>();
    first.stream().filter(row -> !isAlone(row)).forEach(kept::add);
    first.stream().filter(this::isAlone).limit(request.mostAlone()).forEach(kept::add);
    if (kept.size() < first.size()) {
      available.stream()
          .filter(row -> !isAlone(row) && !kept.contains(row))
          .limit(request.limit() - (long) kept.size())
          .toList()
          .forEach(kept::add);
    }
    return available.stream().filter(kept::contains).toList();
  }

  private List<MessageRow> oneByOne() {
    List<MessageRow> rest = new ArrayList<>(available);
    List<MessageRow> taken = new ArrayList<>();
    int alone = 0;
    while (taken.size() < request.limit() && !rest.isEmpty()) {
      boolean mayBeAlone = alone < request.mostAlone();
      MessageRow next =
          rest.stream().filter(row -> mayBeAlone || !isAlone(row)).findFirst().orElse(null);
      if (next == null) {
        break;
      }
      alone += isAlone(next) ? 1 : 0;
      rest.remove(next);
      taken.add(next);
    }
    return taken;
  }

  /**
   * A strategy that picks at random, or reads above its marks only, leaves open which ones; never
   * how many at least, nor that they are available, nor how many suspects.
   */
  private void checkChosen(Strategy strategy, List<Long> taken) {
    assertThat(taken)
        .as("claimed by " + strategy)
        .isSubsetOf(ids(available))
        .doesNotHaveDuplicates();
    long alone = alone(taken);
    assertThat(alone).as("suspects").isLessThanOrEqualTo(request.mostAlone());
    long most = Math.min(request.limit(), alone + ids(available).size() - alone(ids(available)));
    if (strategy.isOptimistic()) {
      assertThat((long) taken.size()).as("how many").isEqualTo(most);
    } else {
      assertThat(taken.size()).as("how many").isLessThanOrEqualTo(request.limit());
      assertThat(taken.isEmpty())
          .as("whether nothing was claimed, though " + ids(available) + " were available")
          .isEqualTo(inOneGo().isEmpty());
    }
  }

  private long alone(List<Long> ids) {
    return available.stream().filter(row -> ids.contains(row.id) && isAlone(row)).count();
  }

  private boolean isAlone(MessageRow row) {
    return row.lost >= request.aloneFrom();
  }

  private static List<Long> ids(List<MessageRow> rows) {
    return rows.stream().map(row -> row.id).toList();
  }

  /** A claim strategy, with or without the cursor. */
  enum Strategy {
    SKIP_LOCKED(Kind.SKIP_LOCKED, false),
    UPDATE_LIMIT(Kind.UPDATE_LIMIT, false),
    OPTIMISTIC(Kind.OPTIMISTIC, false),
    LAST_INSERT_ID(Kind.LAST_INSERT_ID, false),
    SKIP_LOCKED_ABOVE_MARKS(Kind.SKIP_LOCKED, true),
    UPDATE_LIMIT_ABOVE_MARKS(Kind.UPDATE_LIMIT, true);

    private final Kind kind;
    private final boolean cursor;

    Strategy(Kind kind, boolean cursor) {
      this.kind = kind;
      this.cursor = cursor;
    }

    ClaimSettings settings() {
      return new ClaimSettings(kind, cursor);
    }

    /** Whether it waits for rows that others hold; such a claim is no step of a play. */
    boolean waits() {
      return kind == Kind.UPDATE_LIMIT || kind == Kind.LAST_INSERT_ID;
    }

    /** Whether the order of the claim key and the limit leave no choice. */
    boolean isExact() {
      return kind != Kind.OPTIMISTIC && !cursor;
    }

    boolean isOptimistic() {
      return kind == Kind.OPTIMISTIC;
    }

    /** Whether each message is a transaction of its own. */
    boolean oneByOne() {
      return kind == Kind.LAST_INSERT_ID;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
