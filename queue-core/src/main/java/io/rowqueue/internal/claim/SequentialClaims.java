package io.rowqueue.internal.claim;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a strategy that claims one message per transaction until it has as many as were
 * requested.
 */
public final class SequentialClaims implements ClaimStrategy {

  private static final Logger LOG = LoggerFactory.getLogger(SequentialClaims.class);

  private final ClaimStrategy single;

  public SequentialClaims(ClaimStrategy single) {
    this.single = single;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return request.areOffers() ? claimOffers(request) : claimInTurn(request);
  }

  @Override
  public Optional<QueueException> refusal() {
    return single.refusal();
  }

  private List<Claim> claimOffers(ClaimRequest request) {
    List<Claim> claims = new ArrayList<>();
    for (Candidate offer : request.candidates()) {
      int alone = aloneLeft(request, claims);
      claims.addAll(next(request.only(1, alone).among(List.of(offer)), claims));
    }
    return claims;
  }

  private List<Claim> claimInTurn(ClaimRequest request) {
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < request.limit()) {
      List<Claim> next = next(request.only(1, aloneLeft(request, claims)), claims);
      if (next.isEmpty()) {
        break;
      }
      claims.addAll(next);
    }
    return claims;
  }

  private static int aloneLeft(ClaimRequest request, List<Claim> claims) {
    long alone = claims.stream().filter(claim -> request.alone(claim.lost())).count();
    return request.mostAlone() - (int) alone;
  }

  private List<Claim> next(ClaimRequest request, List<Claim> before) {
    try {
      return single.claim(request);
    } catch (QueueException e) {
      if (before.isEmpty()) {
        throw e;
      }
      // They are committed, and no other worker may handle them.
      LOG.info(
          "{} claimed before the claim failed; the next claim continues: {}",
          Humanize.count(before.size(), "message was", "messages were"),
          FailureText.of(e));
      return List.of();
    }
  }
}
