package io.rowqueue.handler;

import java.util.List;

/**
 * Wraps every handling of a worker, as a servlet filter wraps requests: logging context, timing, a
 * tenant's scope. Bound with {@link HandlerBinder#intercept}; the first bound is the outermost.
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface HandlerInterceptor {

  /**
   * Called on the handler's thread, inside its transaction if it has one. Must call {@link
   * Invocation#proceed()} exactly once and let its exception through, unless it means to fail the
   * message itself by throwing.
   */
  void intercept(HandlerContext context, Invocation next) throws Exception;

  /**
   * The same around a call in which a {@link BatchHandler} is given several messages at once; one
   * that it is given alone goes to {@link #intercept}. Unless it is overridden, the first message
   * stands for all.
   *
   * @param batch the context of each message, in the handler's order; at least two
   */
  default void interceptBatch(List<HandlerContext> batch, Invocation next) throws Exception {
    intercept(batch.get(0), next);
  }

  /** The rest of the chain, with the handler at its end. */
  @FunctionalInterface
  interface Invocation {

    /** Runs it. */
    void proceed() throws Exception;
  }
}
