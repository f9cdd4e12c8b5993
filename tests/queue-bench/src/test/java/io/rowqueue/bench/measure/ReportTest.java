package io.rowqueue.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.bench.measure.Report.Bar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);

  @Test
  void table_alignsItsColumns_onTheScreenAndInTheFolder(@TempDir Path folder) throws IOException {
    new Report(out, folder)
        .table(new Table("Rates", "", "a second").row("one", "5").row("the other", "1,000"));

    assertThat(said.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            """

            ### Rates

            |           | a second |
            |-----------|---------:|
            | one       |        5 |
            | the other |    1,000 |
            """);
    assertThat(folder.resolve("tables.md"))
        .content()
        .isEqualTo(said.toString(StandardCharsets.UTF_8));
  }

  @Test
  void row_withACellTooFew_isRefused() {
    Table table = new Table("Rates", "", "a second");

    assertThatThrownBy(() -> table.row("one"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 cells for 2 columns of Rates");
  }

  @Test
  void sample_isALineOfJsonOfItsOwn(@TempDir Path folder) throws IOException {
    Report report = new Report(out, folder);
    report.sample("drain", Map.of("contender", "ours \"quoted\""));
    report.sample("drain", Map.of("contender", "baseline"));

    List<String> lines = Files.readAllLines(folder.resolve("samples.jsonl"));
    assertThat(lines).hasSize(2);
    assertThat(new ObjectMapper().readTree(lines.get(0)).get("contender").asText())
        .isEqualTo("ours \"quoted\"");
    assertThat(new ObjectMapper().readTree(lines.get(1)).get("workload").asText())
        .isEqualTo("drain");
  }

  @Test
  void bar_isMetOrMissed_andAnUnknownFigureIsMissed() {
    assertThat(Bar.atLeast("rate", 0.9, 0.9).isMet()).isTrue();
    assertThat(Bar.atLeast("rate", 0.89, 0.9).isMet()).isFalse();
    assertThat(Bar.atMost("wait", 3, 3).isMet()).isTrue();
    assertThat(Bar.atMost("wait", 3.1, 3).isMet()).isFalse();
    assertThat(Bar.atMost("server CPU", Double.NaN, 1.35).isMet()).isFalse();
    assertThat(Bar.atMost("wait", 3.1, 3)).hasToString("MISSED wait: 3.10 (bar: at most 3.00)");
  }

  @Test
  void chart_isAWellFormedSvg(@TempDir Path folder) throws Exception {
    Report report = new Report(out, folder);
    report.chart(
        "bars", Chart.bars("Rates", "a second", Map.of("ours", Figures.of(List.of(5.0, 7.0)))));
    Path file = folder.resolve("bars.svg");
    assertThat(rootOf(file)).isEqualTo("svg");
    assertThat(file).content().contains("<path").contains("<line");
  }

  private static String rootOf(Path file) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement().getTagName();
  }
}
