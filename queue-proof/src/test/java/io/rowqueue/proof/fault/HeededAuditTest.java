package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.plugin.Deed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeededAuditTest {

  /** Far from what the faults of one test have to do with the others. */
  private static final long SINCE = 3_600_000_000_000L;

  private static final long HEEDED = SINCE + Limit.HEEDED_AFTER.toNanos();
  private static final long UNTIL = HEEDED + 1_000_000;
  private static final Limit ONE = new Limit(Deed.LIMITED, 1, SINCE, UNTIL);
  private static final Limit TWO_OF_A_KEY = new Limit(Deed.WIDE, 2, SINCE, UNTIL);

  @TempDir private Path home;

  private final Map<Long, Booked> booked = new HashMap<>();
  private final StringBuilder journal = new StringBuilder();

  /** One after another that takes {@code nanos}, one begun each nanosecond. */
  private void handle(String topic, int count, long begin, long nanos) {
    for (int i = 0; i < count; i++) {
      long id = booked.size() + 1L;
      booked.put(id, new Booked(topic, "SUCCEED", "a"));
      journal
          .append("begin %d 1 1 %d\n".formatted(id, begin + i))
          .append("end %d 1 returned %d\n".formatted(id, begin + i + nanos));
    }
  }

  private List<String> findings(Limit limit, Strike... strikes) throws IOException {
    Files.writeString(home.resolve("7.journal"), journal);
    return HeededAudit.findings(booked, Journal.read(home), List.of(strikes), List.of(limit));
  }

  @Test
  void asManyAsTheLowerLimitLets_areFine() throws IOException {
    handle(Deed.LIMITED, 100, HEEDED, 1);
    handle(Deed.WIDE, 100, HEEDED, 2);
    assertThat(findings(ONE)).isEmpty();
    assertThat(findings(TWO_OF_A_KEY)).isEmpty();
  }

  @Test
  void oneTooMany_isFound() throws IOException {
    handle(Deed.LIMITED, 2, HEEDED, 2);
    assertThat(findings(ONE))
        .singleElement()
        .asString()
        .startsWith("Limit[topic=fault.limited, most=1,")
        .contains(" was not heeded: more than may be at one time: ");
  }

  @Test
  void whatBeganBeforeAllHadToHeedIt_orBehindTheNextChange_isFine() throws IOException {
    handle(Deed.LIMITED, 3, HEEDED - 3, 1_000);
    handle(Deed.LIMITED, 1, HEEDED, 1_000);
    handle(Deed.LIMITED, 1, UNTIL - 1, 1_000);
    handle(Deed.LIMITED, 3, UNTIL, 1_000);
    assertThat(findings(ONE)).isEmpty();
  }

  /** Three of the key may have been let go by the limit of before. */
  @Test
  void whatWasLetGoOfAKeyBefore_isFine_andWhatComesBehindItIsNot() throws IOException {
    handle(Deed.WIDE, 5, HEEDED, 1_000);
    assertThat(findings(TWO_OF_A_KEY)).isEmpty();
    handle(Deed.WIDE, 1, HEEDED + 5, 1_000);
    assertThat(findings(TWO_OF_A_KEY)).hasSize(1);
  }

  @Test
  void fault_explainsWhatItsVictimDoes_andWhatItHeldUp() throws IOException {
    handle(Deed.LIMITED, 2, HEEDED, 2);
    assertThat(findings(ONE, new Strike(SINCE, SINCE + 1, Set.of(7L)))).isEmpty();
    assertThat(findings(ONE, new Strike(SINCE, SINCE + 1, Set.of(8L)))).hasSize(1);
    assertThat(findings(ONE, new Strike(SINCE, HEEDED, Set.of(8L)))).isEmpty();
    assertThat(findings(ONE, new Strike(SINCE, SINCE + 1, Fault.EVERYBODY))).isEmpty();
    assertThat(findings(ONE, new Strike(SINCE, HEEDED, Fault.NOBODY))).hasSize(1);
    assertThat(findings(ONE, new Strike(UNTIL, UNTIL + 1, Fault.EVERYBODY))).hasSize(1);
  }
}
