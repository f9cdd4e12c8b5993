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
 * Collects the messages that the handler of one message enqueues with its ack. Confined to the
 * handler's thread until the handler has returned.
 */
final class HandlerOutput {

  /** Per handled message, encoded. */
  private static final long MOST_BYTES = 16L << 20;

  /** Memory per message in addition to its payload. */
  private static final int MESSAGE_BYTES = 512;

  private final List<FollowUps.NewMembers> members = new ArrayList<>();
  private final Map<String, String> carried = new LinkedHashMap<>();
  private long bytes;

  /** Adds encoded messages: as members, or as a nested batch that is a member. */
  void add(@Nullable BatchSettings nested, List<NewMessage> messages) {
    long more =
        messages.stream()
            .mapToLong(message -> MESSAGE_BYTES + ((byte[]) message.payload()).length)
            .sum();
    if (bytes + more > MOST_BYTES) {
      throw new InvalidMessageException(
          "a handler adds at most 16 MiB to its batch, and this would be %,d bytes; add one message whose handler adds the rest"
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
