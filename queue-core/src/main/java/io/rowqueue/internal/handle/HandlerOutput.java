package io.rowqueue.internal.handle;

import io.rowqueue.BatchSettings;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.message.Headers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the handler of one message wants enqueued, while it gathers. Confined to its thread until
 * the handler has returned.
 */
final class HandlerOutput {

  /** Of one handling, encoded. */
  private static final long MOST_BYTES = 16L << 20;

  /** In memory, for each message, whatever its payload. */
  private static final int MESSAGE_BYTES = 512;

  private final List<FollowUps.NewMembers> members = new ArrayList<>();
  private final Map<String, String> carried = new LinkedHashMap<>();
  private long bytes;

  /** Adds what is encoded already; as members, or as a batch that is one. */
  void add(@Nullable BatchSettings nested, List<NewMessage> messages) {
    long more =
        messages.stream()
            .mapToLong(message -> MESSAGE_BYTES + ((byte[]) message.payload()).length)
            .sum();
    if (bytes + more > MOST_BYTES) {
      throw new InvalidMessageException(
          "a handler adds at most 16 MiB to its batch, and this would be %,d bytes; add a message whose handler adds the rest"
              .formatted(bytes + more));
    }
    bytes += more;
    members.add(new FollowUps.NewMembers(nested, messages));
  }

  void putHeaderForNextStep(String name, String value) {
    Headers.carry(carried, name, value);
  }

  FollowUps followUps() {
    return new FollowUps(members, carried);
  }
}
