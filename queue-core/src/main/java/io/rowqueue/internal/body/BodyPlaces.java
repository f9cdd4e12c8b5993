package io.rowqueue.internal.body;

/** What the header {@link io.rowqueue.internal.message.Headers#BODY} may say. */
public final class BodyPlaces {

  /** In the chunks of {@code queue_body}. */
  public static final String ROWS = "rows";

  /** In the store that {@code queue_stored_body} names. */
  public static final String STORED = "stored";

  private BodyPlaces() {}
}
