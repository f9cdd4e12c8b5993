package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

  /** Ten of the second, one of the burst, and two that had been let go before. */
  @Test
  void asManyOfAKeyAsMayBegin_areNoFinding_andOneMoreIs() {
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, begun(13, 3, 0))).isEmpty();
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, begun(14, 3, 0))).hasSize(1);
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, begun(1_000, 1, 100))).isEmpty();
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, begun(1_000, 1, 50))).isNotEmpty();
  }

  /** Whoever claims it behind a fault begins what was let go; another attempt is let go anew. */
  @Test
  void sameAttemptThatBeginsAgain_isNotCounted_andAnotherIs() {
    List<Handling> again = new ArrayList<>(begun(13, 1, 0));
    again.add(new Handling(1, 12, 2, 1, 1, 2, "returned"));
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, again)).isEmpty();
    again.add(new Handling(1, 12, 3, 2, 2, 3, "returned"));
    assertThat(LimitAudit.tooManyOfAKey(10, 2, WINDOW, again)).hasSize(1);
  }

  @Test
  void eachLimit_isLookedAtInTheJournals() throws IOException {
    assertThat(findings(Deed.LIMITED, Deed.MOST_LIMITED)).isEmpty();
    assertThat(findings(Deed.LIMITED, Deed.MOST_LIMITED + 1)).hasSize(1);
    assertThat(findings(Deed.WIDE, Deed.MOST_WIDE)).isEmpty();
    assertThat(findings(Deed.WIDE, Deed.MOST_WIDE + 1)).hasSize(1);
    assertThat(findings(Deed.RATED, 6)).isEmpty();
    assertThat(findings(Deed.RATED, 7)).as("in a tenth of a second").hasSize(1);
    assertThat(findings(Deed.KEY_RATED, 4, 1)).isEmpty();
    assertThat(findings(Deed.KEY_RATED, 5, 1)).as("in a tenth of a second").hasSize(1);
    assertThat(findings(Deed.KEY_RATED, 2, 2)).isEmpty();
    assertThat(findings(Deed.KEY_RATED, 3, 3)).as("at one time").hasSize(1);
    assertThat(findings(Deed.ALONE, 100)).isEmpty();
  }

  private List<String> findings(String topic, int count) throws IOException {
    return findings(topic, count, count);
  }

  /** {@code atOnce} of them at one time, all of one line. */
  private List<String> findings(String topic, int count, int atOnce) throws IOException {
    Map<Long, Booked> booked = new HashMap<>();
    StringBuilder journal = new StringBuilder();
    for (long id = 1; id <= count; id++) {
      booked.put(id, new Booked(topic, "SUCCEED", "a"));
      if (id > atOnce) {
        journal.append("end %d 1 returned %d\n".formatted(id - atOnce, id));
      }
      journal.append("begin %d 1 1 %d\n".formatted(id, id));
    }
    Files.writeString(home.resolve("7.journal"), journal);
    return LimitAudit.findings(booked, Journal.read(home), List.of());
  }
}
