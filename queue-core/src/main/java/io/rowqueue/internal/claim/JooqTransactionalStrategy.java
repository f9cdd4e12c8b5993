package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * Finds candidates without locks and has them taken, in one transaction; and, where others were
 * faster everywhere, in another, among more candidates.
 */
public final class JooqTransactionalStrategy implements ClaimStrategy {

  /** At most so many of one look: MariaDB turns a longer list of ids into a subquery. */
  private static final int MOST_AT_ONCE = 500;

  /** At most so many are offered by a wider look; each that is locked comes with its payload. */
  private static final int MOST_OFFERED = 128;

  private final Transactions transactions;
  private final Taking taking;
  private final boolean cursor;
  private final LowWaters lowWaters;

  /** Looks from {@code lowWaters} on. */
  public JooqTransactionalStrategy(
      Transactions transactions, Taking taking, boolean cursor, LowWaters lowWaters) {
    this.transactions = transactions;
    this.taking = taking;
    this.cursor = cursor;
    this.lowWaters = lowWaters;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return new Search(request.atMost(MOST_AT_ONCE), lowWaters.of(request.topic())).claim();
  }

  @Override
  public NavigableMap<Byte, Long> marks(Topic topic) {
    LowWater lowWater = lowWaters.known(topic);
    return cursor && lowWater != null
        ? lowWater.recentMarks(System.nanoTime())
        : Collections.emptyNavigableMap();
  }

  /** One call. */
  private final class Search {

    private final ClaimRequest request;
    private final LowWater lowWater;

    /** What others were faster to take, or hold. */
    private final Set<Long> missed = new HashSet<>();

    /** Whether something of what was missed lies below the marks. */
    private boolean missedBelow;

    Search(ClaimRequest request, LowWater lowWater) {
      this.request = request;
      this.lowWater = lowWater;
    }

    List<Claim> claim() {
      if (request.areOffers()) {
        return transactions.run(Transition.CLAIM, this::takeOffers).claims();
      }
      Look look = transactions.run(Transition.CLAIM, this::firstLook);
      if (cursor) {
        look.tell(lowWater, request);
      }
      int offer = request.limit();
      while (look.wasMissed()) {
        look.offered().forEach(one -> missed.add(one.id()));
        offer = Math.min(2 * offer, MOST_OFFERED);
        int most = taking.chooses() ? offer : request.limit();
        look = transactions.run(Transition.CLAIM, tx -> widerLook(tx, most));
      }
      return look.claims();
    }

    /** Others may lie before them: no mark rises, and nobody looks further. */
    private Look takeOffers(Transaction tx) throws SQLException {
      return take(tx, Picks.of(request, request.candidates(), Candidate::lost));
    }

    private Look firstLook(Transaction tx) throws SQLException {
      Picks<Candidate> known = known();
      boolean enough = !known.kept().isEmpty() && known.left().isEmpty();
      missedBelow = enough && known.kept().stream().anyMatch(lowWater::hides);
      return enough ? take(tx, known) : lookAndTake(tx);
    }

    /** Those that a look before this claim has found, if they are enough to choose from. */
    private Picks<Candidate> known() {
      List<Candidate> found = request.candidates();
      boolean enough =
          found.size() < Survey.MOST_CANDIDATES || found.size() >= taking.sees(request.limit());
      List<Candidate> picked = enough ? taking.pick(found, request.limit()) : List.of();
      return Picks.of(request, picked, Candidate::lost);
    }

    private Look lookAndTake(Transaction tx) throws SQLException {
      DSLContext dsl = tx.dsl();
      boolean reset = cursor && lowWater.needsReset(System.nanoTime());
      if (reset) {
        JooqCursor.reset(dsl, request.topic(), lowWater);
      }
      Picks<Candidate> picks = picks(dsl);
      if (cursor && !reset && picks.kept().isEmpty()) {
        // Somebody thinks that there is something, and nothing lies above the marks.
        JooqCursor.reset(dsl, request.topic(), lowWater);
        picks = picks(dsl);
      }
      return take(tx, picks);
    }

    private Picks<Candidate> picks(DSLContext dsl) throws SQLException {
      List<Candidate> found = find(dsl, aboveMarks(), taking.sees(request.limit()));
      Picks<Candidate> picks =
          Picks.of(request, taking.pick(found, request.limit()), Candidate::lost);
      int rest = request.limit() - picks.kept().size();
      if (picks.left().isEmpty() || rest == 0) {
        return picks;
      }
      // Suspects must not hold up what lies behind them.
      List<Candidate> kept = new ArrayList<>(picks.kept());
      kept.addAll(find(dsl, innocentAboveMarks().and(JooqCandidates.notAmong(kept)), rest));
      return new Picks<>(kept, picks.left());
    }

    /**
     * Among the next {@code most} behind those that were missed. A worker that stands still in the
     * middle of its claim holds what it has locked for a while, and must be passed by.
     */
    private Look widerLook(Transaction tx, int most) throws SQLException {
      if (cursor && missedBelow) {
        // So may what lies behind it.
        JooqCursor.reset(tx.dsl(), request.topic(), lowWater);
        missedBelow = false;
      }
      Condition within = request.mostAlone() == 0 ? innocentAboveMarks() : aboveMarks();
      List<Candidate> others =
          find(tx.dsl(), within, missed.size() + taking.sees(most)).stream()
              .filter(one -> !missed.contains(one.id()))
              .toList();
      ClaimRequest offer = taking.chooses() ? request.only(most, most) : request;
      return take(tx, Picks.of(offer, taking.pick(others, most), Candidate::lost));
    }

    private List<Candidate> find(DSLContext dsl, Condition within, int limit) throws SQLException {
      return JooqCandidates.find(dsl, request.topic(), within, limit);
    }

    private Condition aboveMarks() {
      return cursor ? JooqCursor.above(lowWater.marks()) : DSL.noCondition();
    }

    private Condition innocentAboveMarks() {
      return aboveMarks().and(JooqCandidates.innocent(request));
    }

    private Look take(Transaction tx, Picks<Candidate> picks) throws SQLException {
      List<Candidate> offered = picks.kept();
      return new Look(picks, offered.isEmpty() ? List.of() : taking.take(tx, request, offered));
    }
  }

  /** What one transaction offered to the taking, and what it took. */
  private record Look(Picks<Candidate> picks, List<Claim> claims) {

    List<Candidate> offered() {
      return picks.kept();
    }

    /** Whether others were faster everywhere. */
    boolean wasMissed() {
      return claims.isEmpty() && !offered().isEmpty();
    }

    void tell(LowWater lowWater, ClaimRequest request) {
      Set<Long> mine =
          claims.stream().map(claim -> claim.id().value()).collect(Collectors.toUnmodifiableSet());
      Picks.passed(picks, one -> mine.contains(one.id())).forEach(lowWater::passed);
      lowWater.claimed(claims.size() == request.limit());
    }
  }
}
