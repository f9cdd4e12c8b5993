package io.rowqueue.internal.claim;

import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;

/**
 * Finds candidates without locks and claims them in one transaction. If other workers have claimed
 * all of them, it retries in another transaction with more candidates.
 */
public final class JooqTransactionalStrategy implements ClaimStrategy {

  /** The most candidates of one query: MariaDB turns a longer list of ids into a subquery. */
  private static final int MOST_AT_ONCE = 500;

  /** The most candidates of a wider query; each row that is locked is read with its payload. */
  private static final int MOST_OFFERED = 128;

  private final Transactions transactions;
  private final ClaimQuery taking;
  private final boolean cursor;
  private final ClaimCursors claimCursors;
  private final RefusedRows<Long> refused = new RefusedRows<>("the claim of message");

  /** Starts at {@code claimCursors}. */
  public JooqTransactionalStrategy(
      Transactions transactions, ClaimQuery taking, boolean cursor, ClaimCursors claimCursors) {
    this.transactions = transactions;
    this.taking = taking;
    this.cursor = cursor;
    this.claimCursors = claimCursors;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return new Search(request.atMost(MOST_AT_ONCE), claimCursors.of(request.topic())).claim();
  }

  @Override
  public Optional<QueueException> refusal() {
    return refused.refusal();
  }

  @Override
  public NavigableMap<Byte, Long> marks(Topic topic) {
    ClaimCursor claimCursor = claimCursors.known(topic);
    return cursor && claimCursor != null
        ? claimCursor.recentPositions(System.nanoTime())
        : Collections.emptyNavigableMap();
  }

  /** One call of {@link #claim}. */
  private final class Search {

    private final ClaimRequest request;
    private final ClaimCursor claimCursor;

    /** Candidates that other workers have claimed or locked. */
    private final Set<Long> missed = new HashSet<>();

    /** Whether a missed candidate lies below the positions. */
    private boolean missedBelow;

    /** Messages whose claims the server refused recently. */
    private final Set<Long> delayed = refused.delayed();

    /** The candidates that the last transaction tried to claim. */
    private List<Candidate> tried = List.of();

    Search(ClaimRequest request, ClaimCursor claimCursor) {
      this.request = request;
      this.claimCursor = claimCursor;
    }

    List<Claim> claim() {
      try {
        return search();
      } catch (QueueException e) {
        if (tried.isEmpty() || !RefusedRows.isRefusal(e, tried.size())) {
          throw e;
        }
        return claimParts(Selection.of(request, tried, Candidate::lost).kept());
      }
    }

    private List<Claim> claimParts(List<Candidate> candidates) {
      return refused
          .change(
              candidates,
              Candidate::id,
              some -> transactions.run(Transition.CLAIM, tx -> taking.take(tx, request, some)))
          .stream()
          .flatMap(List::stream)
          .toList();
    }

    private List<Claim> search() {
      if (request.areOffers()) {
        return transactions.run(Transition.CLAIM, this::takeOffers).claims();
      }
      Poll poll = transactions.run(Transition.CLAIM, this::firstPoll);
      if (cursor) {
        poll.advance(claimCursor, request);
      }
      int offer = request.limit();
      while (poll.wasMissed()) {
        poll.offered().forEach(one -> missed.add(one.id()));
        offer = Math.min(2 * offer, MOST_OFFERED);
        int most = taking.chooses() ? offer : request.limit();
        poll = transactions.run(Transition.CLAIM, tx -> widerPoll(tx, most));
      }
      return poll.claims();
    }

    /** Other messages may precede them, so no position rises and no further search is made. */
    private Poll takeOffers(Transaction tx) throws SQLException {
      return take(tx, Selection.of(request, candidates(), Candidate::lost));
    }

    private List<Candidate> candidates() {
      return request.candidates().stream().filter(one -> !delayed.contains(one.id())).toList();
    }

    private Poll firstPoll(Transaction tx) throws SQLException {
      Selection<Candidate> known = known();
      boolean enough = !known.kept().isEmpty() && known.left().isEmpty();
      missedBelow = enough && known.kept().stream().anyMatch(claimCursor::skips);
      return enough ? take(tx, known) : pollAndTake(tx);
    }

    /** The candidates of the poll before this claim, if they are enough to choose from. */
    private Selection<Candidate> known() {
      List<Candidate> found = candidates();
      boolean enough =
          request.candidates().size() < PollResult.MOST_CANDIDATES
              || found.size() >= taking.sees(request.limit());
      List<Candidate> picked = enough ? taking.pick(found, request.limit()) : List.of();
      return Selection.of(request, picked, Candidate::lost);
    }

    private Poll pollAndTake(Transaction tx) throws SQLException {
      DSLContext dsl = tx.dsl();
      boolean reset = cursor && claimCursor.needsReset(System.nanoTime());
      if (reset) {
        JooqCursor.reset(dsl, request.topic(), claimCursor);
      }
      Selection<Candidate> picks = picks(dsl);
      if (cursor && !reset && picks.kept().isEmpty()) {
        // The caller expects messages, and there are none above the positions.
        JooqCursor.reset(dsl, request.topic(), claimCursor);
        picks = picks(dsl);
      }
      return take(tx, picks);
    }

    private Selection<Candidate> picks(DSLContext dsl) throws SQLException {
      List<Candidate> found = find(dsl, aboveMarks(), taking.sees(request.limit()));
      Selection<Candidate> picks =
          Selection.of(request, taking.pick(found, request.limit()), Candidate::lost);
      int rest = request.limit() - picks.kept().size();
      if (picks.left().isEmpty() || rest == 0) {
        return picks;
      }
      // Suspects must not block the messages behind them.
      List<Candidate> kept = new ArrayList<>(picks.kept());
      List<Long> known = kept.stream().map(Candidate::id).toList();
      kept.addAll(find(dsl, innocentAboveMarks().and(JooqCandidates.notAmong(known)), rest));
      return new Selection<>(kept, picks.left());
    }

    /**
     * Searches among the next {@code most} candidates behind those that were missed. A worker that
     * is suspended during its claim keeps its rows locked for a while, and must be passed.
     */
    private Poll widerPoll(Transaction tx, int most) throws SQLException {
      if (cursor && missedBelow) {
        // The messages behind it may be taken, too.
        JooqCursor.reset(tx.dsl(), request.topic(), claimCursor);
        missedBelow = false;
      }
      Condition within = request.mostAlone() == 0 ? innocentAboveMarks() : aboveMarks();
      List<Candidate> others =
          find(tx.dsl(), within, missed.size() + taking.sees(most)).stream()
              .filter(one -> !missed.contains(one.id()))
              .toList();
      ClaimRequest offer = taking.chooses() ? request.only(most, most) : request;
      return take(tx, Selection.of(offer, taking.pick(others, most), Candidate::lost));
    }

    private List<Candidate> find(DSLContext dsl, Condition within, int limit) throws SQLException {
      return JooqCandidates.find(dsl, request.topic(), within, limit);
    }

    private Condition aboveMarks() {
      Condition others = JooqCandidates.notAmong(delayed);
      return cursor ? JooqCursor.above(claimCursor.positions()).and(others) : others;
    }

    private Condition innocentAboveMarks() {
      return aboveMarks().and(JooqCandidates.innocent(request));
    }

    private Poll take(Transaction tx, Selection<Candidate> picks) throws SQLException {
      tried = picks.kept();
      return new Poll(picks, tried.isEmpty() ? List.of() : taking.take(tx, request, tried));
    }
  }

  /** The candidates that one transaction tried to claim, and its claims. */
  private record Poll(Selection<Candidate> picks, List<Claim> claims) {

    List<Candidate> offered() {
      return picks.kept();
    }

    /** Whether other workers were faster for all candidates. */
    boolean wasMissed() {
      return claims.isEmpty() && !offered().isEmpty();
    }

    void advance(ClaimCursor claimCursor, ClaimRequest request) {
      Set<Long> mine =
          claims.stream().map(claim -> claim.id().value()).collect(Collectors.toUnmodifiableSet());
      Selection.passed(picks, one -> mine.contains(one.id())).forEach(claimCursor::advance);
      claimCursor.claimed(claims.size() == request.limit());
    }
  }
}
