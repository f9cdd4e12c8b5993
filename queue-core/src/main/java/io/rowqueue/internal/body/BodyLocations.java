package io.rowqueue.internal.body;

/** Values of the header {@link io.rowqueue.internal.message.Headers#BODY}. */
public final class BodyLocations {

  /** In the chunks of {@code queue_payload_chunk}. */
  public static final String ROWS = "rows";

  /** In the store that {@code queue_payload_ref} names. */
  public static final String STORED = "stored";

  private BodyLocations() {}
}
