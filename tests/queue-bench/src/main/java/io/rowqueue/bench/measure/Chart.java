package io.rowqueue.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;

/** A picture of a result. */
public sealed interface Chart {

  /** Writes it as SVG. */
  void draw(Path file);

  /** The same, with the server in its title. */
  Chart on(String server);

  /**
   * One bar for each of {@code figures}: its median, and around its end a line as long as from the
   * least to the most.
   */
  static Chart bars(String title, String unit, Map<String, Figures> figures) {
    return new Bars(title, unit, new LinkedHashMap<>(figures));
  }

  /** Bars side by side. */
  record Bars(String title, String unit, Map<String, Figures> figures) implements Chart {

    @Override
    public Chart on(String server) {
      return new Bars(title + ", " + server, unit, figures);
    }

    @Override
    public void draw(Path file) {
      CategoryChart chart =
          new CategoryChartBuilder().width(800).height(400).title(title).yAxisTitle(unit).build();
      chart.getStyler().setPlotGridVerticalLinesVisible(false).setLegendVisible(false);
      chart.getStyler().setXAxisLabelRotation(20);
      chart.addSeries(
          unit,
          new ArrayList<>(figures.keySet()),
          figures.values().stream().map(Figures::median).toList(),
          figures.values().stream().map(each -> (each.max() - each.min()) / 2).toList());
      Sheet.write(chart, file);
    }
  }

  /** What a chart is written on. */
  final class Sheet {

    /** A tenth of a pixel is enough, for less than half the size. */
    private static final Pattern NEEDLESS_DIGITS = Pattern.compile("(?<=\\d\\.\\d)\\d+");

    private Sheet() {}

    private static void write(org.knowm.xchart.internal.chartpart.Chart<?, ?> chart, Path file) {
      chart.getStyler().setChartBackgroundColor(java.awt.Color.WHITE);
      try {
        Files.createDirectories(file.toAbsolutePath().getParent());
        VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
        String drawn = Files.readString(file);
        Files.writeString(file, NEEDLESS_DIGITS.matcher(drawn).replaceAll(""));
      } catch (IOException e) {
        throw new UncheckedIOException("the chart cannot be written to " + file, e);
      }
    }
  }
}
