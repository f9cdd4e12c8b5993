package io.rowqueue.handler;

import java.util.List;

/**
 * Wraps every handler call of a worker, like a servlet filter: for logging context, timing, a
 * tenant's scope. Bound with {@link HandlerBinder#intercept}; the first bound is the outermost.
 * Implementations must be thread-safe.
 */
@FunctionalInterface
public interface HandlerInterceptor {

  /**
   * Called on the handler's thread, inside its transaction if it has one. Must call {@link
   * Invocation#proceed()} exactly once and rethrow its exception, unless it deliberately fails the
   * message by throwing.
   */
  void intercept(HandlerContext context, Invocation next) throws Exception;

  /**
   * Wraps a call of a {@link BatchHandler} with several messages; a call with a single message goes
   * to {@link #intercept}. By default, calls {@link #intercept} with the first message's context.
   *
   * @param batch the context of each message, in the handler's order; at least two
   */
  default void interceptBatch(List<HandlerContext> batch, Invocation next) throws Exception {
    intercept(batch.get(0), next);
  }

  /** The rest of the chain, with the handler at its end. */
  @FunctionalInterface
  interface Invocation {

    /** Proceeds. */
    void proceed() throws Exception;
  }
}
