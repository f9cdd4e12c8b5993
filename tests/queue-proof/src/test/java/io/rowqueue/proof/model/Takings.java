package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.ClaimRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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

  /** Checks that {@code taken} is what {@code way} promises. */
  void check(Way way, List<Long> taken) {
    if (way.isExact()) {
      List<MessageRow> exact = way.oneByOne() ? oneByOne() : inOneGo();
      assertThat(taken).as("claimed by " + way).isEqualTo(ids(exact));
    } else {
      checkChosen(way, taken);
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
   * Whoever picks at random, or looks above its marks only, leaves open which ones; never how many
   * at least, nor that they are available, nor how many suspects.
   */
  private void checkChosen(Way way, List<Long> taken) {
    assertThat(taken).as("claimed by " + way).isSubsetOf(ids(available)).doesNotHaveDuplicates();
    long alone = alone(taken);
    assertThat(alone).as("suspects").isLessThanOrEqualTo(request.mostAlone());
    long most = Math.min(request.limit(), alone + ids(available).size() - alone(ids(available)));
    if (way.isOptimistic()) {
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
}
