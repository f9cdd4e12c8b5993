package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitAuditTest {

  private static final Duration WINDOW = Duration.ofSeconds(1);

  @TempDir private Path home;

  /** So many of {@code processes}, by turns, one each {@code millis}. */
  private static List<Handling> begun(int count, int processes, long millis) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> {
              long begin = Duration.ofMillis(millis).toNanos() * i;
              return new Handling(i % processes, i, 1, 1, begin, begin + 1, "returned");
            })
        .toList();
  }

  /** Ten of the second, one of the bucket, and one that each process has drawn before. */
  @Test
  void asManyAsMayBegin_areNoFinding_andOneMoreIs() {
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(12, 1, 0))).isEmpty();
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(13, 1, 0))).hasSize(1);
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(14, 3, 0))).isEmpty();
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(15, 3, 0))).hasSize(1);
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(1_000, 1, 100))).isEmpty();
    assertThat(LimitAudit.tooMany(10, WINDOW, begun(1_000, 1, 50))).isNotEmpty();
  }

  @Test
  void eachLimit_isLookedAtInTheJournals() throws IOException {
    assertThat(findings(Deed.LIMITED, Deed.MOST_LIMITED)).isEmpty();
    assertThat(findings(Deed.LIMITED, Deed.MOST_LIMITED + 1)).hasSize(1);
    assertThat(findings(Deed.WIDE, Deed.MOST_WIDE)).isEmpty();
    assertThat(findings(Deed.WIDE, Deed.MOST_WIDE + 1)).hasSize(1);
    assertThat(findings(Deed.RATED, 6)).isEmpty();
    assertThat(findings(Deed.RATED, 7)).as("in a tenth of a second").hasSize(1);
    assertThat(findings(Deed.ALONE, 100)).isEmpty();
  }

  /** All at one time, of one line. */
  private List<String> findings(String topic, int count) throws IOException {
    Map<Long, Booked> booked = new HashMap<>();
    StringBuilder journal = new StringBuilder();
    for (long id = 1; id <= count; id++) {
      booked.put(id, new Booked(topic, "SUCCEED", "a"));
      journal.append("begin %d 1 1 %d\n".formatted(id, id));
    }
    Files.writeString(home.resolve("7.journal"), journal);
    return LimitAudit.findings(booked, Journal.read(home), List.of());
  }
}
