package io.rowqueue.claim;

import io.rowqueue.QueueException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a strategy that takes one message a transaction until it has as many as were asked for. */
final class OneByOne implements ClaimStrategy {

  private static final Logger LOG = LoggerFactory.getLogger(OneByOne.class);

  private final ClaimStrategy single;

  OneByOne(ClaimStrategy single) {
    this.single = single;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    List<Claim> claims = new ArrayList<>();
    int alone = request.mostAlone();
    while (claims.size() < request.limit()) {
      List<Claim> next = next(request.only(1, alone), claims);
      if (next.isEmpty()) {
        break;
      }
      claims.addAll(next);
      alone -= (int) next.stream().filter(claim -> request.alone(claim.lost())).count();
    }
    return claims;
  }

  private List<Claim> next(ClaimRequest request, List<Claim> before) {
    try {
      return single.claim(request);
    } catch (QueueException e) {
      if (before.isEmpty()) {
        throw e;
      }
      // They are committed, and nobody else may handle them.
      LOG.info("claimed {} and then no more: {}", before.size(), e.getMessage());
      return List.of();
    }
  }
}
