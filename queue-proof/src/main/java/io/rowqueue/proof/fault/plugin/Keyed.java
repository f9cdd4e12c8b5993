package io.rowqueue.proof.fault.plugin;

import java.util.List;

/** The topics whose messages have deduplication keys, which few of them share. */
public final class Keyed {

  /** A key is held until its message has left the queue. */
  public static final String ALIVE = "fault.keyed.alive";

  /** The same, and while it is held whoever offers is refused. */
  public static final String REFUSED = "fault.keyed.refused";

  /** A key is held until its message is claimed; handled in shared commits. */
  public static final String WAITING = "fault.keyed.waiting";

  /** As {@link #WAITING}, and the next message takes the place of the one that waits. */
  public static final String REPLACED = "fault.keyed.replaced";

  /** All of them. */
  public static final List<String> TOPICS = List.of(ALIVE, REFUSED, WAITING, REPLACED);

  /** Those whose keys are held until their messages have left the queue. */
  public static final List<String> LIVING = List.of(ALIVE, REFUSED);

  private Keyed() {}
}
