package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.plugin.Deed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineAuditTest {

  private static final Strike OF_THE_OTHER = new Strike(5, 6, Set.of(8L));

  @TempDir private Path home;
  private String line = "a";

  private List<String> findings(String topic, String journal, Set<Long> removed)
      throws IOException {
    Files.writeString(home.resolve("7.journal"), journal);
    Map<Long, Booked> booked =
        Map.of(1L, new Booked(topic, "SUCCEED", line), 2L, new Booked(topic, "SUCCEED", line));
    return LineAudit.findings(booked, Journal.read(home), List.of(OF_THE_OTHER), removed);
  }

  /** {@code handlings}, one behind the other, each as message and claim. */
  private static String oneByOne(String... handlings) {
    StringBuilder journal = new StringBuilder();
    for (int i = 0; i < handlings.length; i++) {
      journal.append("begin %s 1 %d\n".formatted(handlings[i], 10 * i + 10));
      journal.append("end %s returned %d\n".formatted(handlings[i], 10 * i + 20));
    }
    return journal.toString();
  }

  @Test
  void twoAtOneTime_areFound_butForAFault() throws IOException {
    String two = "begin 1 1 1 10\nbegin 2 1 1 15\nend 1 1 returned 20\nend 2 1 returned 25\n";
    for (String topic : List.of(Deed.ORDERED, Deed.FORMERLY, Deed.HELD)) {
      assertThat(findings(topic, two, Set.of())).singleElement().asString().startsWith("two of a");
    }
    Files.move(home.resolve("7.journal"), home.resolve("8.journal"));
    assertThat(findings(Deed.HELD, "", Set.of())).isEmpty();
  }

  @Test
  void whoeverHasBegun_endsBeforeAnother() throws IOException {
    assertThat(findings(Deed.HELD, oneByOne("1 1", "1 2", "2 1", "2 2"), Set.of())).isEmpty();
    String early = oneByOne("1 1", "2 1", "1 2");
    assertThat(findings(Deed.HELD, early, Set.of()))
        .singleElement()
        .asString()
        .startsWith("a went on too early");
    assertThat(findings(Deed.HELD, early, Set.of(2L))).as("removed").isEmpty();
    assertThat(findings(Deed.ORDERED, early, Set.of())).as("set aside, and back again").isEmpty();
  }

  @Test
  void twoInNoLine_mayBeAtOneTime() throws IOException {
    line = "";
    String two = "begin 1 1 1 10\nbegin 2 1 1 15\nend 1 1 returned 20\nend 2 1 returned 25\n";
    assertThat(findings(Deed.FORMERLY, two, Set.of())).isEmpty();
  }

  @Test
  void zombie_countsForNothing() throws IOException {
    assertThat(findings(Deed.HELD, oneByOne("1 2", "2 1", "1 1", "2 2"), Set.of())).isEmpty();
  }
}
