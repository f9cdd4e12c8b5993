package io.rowqueue.internal.handle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.LockId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A claim whose first run was undone with others' is handled again, as if it were the first. */
class SecondRunTest {

  @Test
  void whatAnUndoneRunWanted_isForgotten() {
    byte[] payload = "1".getBytes(UTF_8);
    Claim undone =
        new Claim(
                new MessageId(1),
                new Topic("order.paid"),
                LockId.create("host", 1),
                1,
                0,
                0,
                false,
                Instant.EPOCH,
                null,
                new Body(true, payload, null, payload.length, 0))
            .withHandled(new Handled(null, new FollowUps(List.of(), Map.of("page", "2")), 0));
    HandlerPolicy policy =
        HandlerPolicy.of(
            HandlerSettings.defaults(), HandlerDefaults.defaults(), HandlerKind.MESSAGE);
    assertThat(new Handling(undone, policy).handled(undone).followUps())
        .isEqualTo(FollowUps.NOTHING);
  }
}
