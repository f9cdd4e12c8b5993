package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.ResultHandler;
import java.sql.SQLException;

/** Writes its effect, and gives its claim back: the result is to be of the claim that ended it. */
final class DeedResultHandler implements ResultHandler<Deed, Integer> {

  private final DeedHandler one;

  @Inject
  DeedResultHandler(DeedHandler one) {
    this.one = one;
  }

  @Override
  public Integer handle(Deed deed, HandlerContext context) throws SQLException {
    one.handle(deed, context);
    return context.claimNumber();
  }
}
