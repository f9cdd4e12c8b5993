package io.rowqueue.proof.sample;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.DynamicTest;

/**
 * The part of a test's generated cells that this run executes. The cells are divided evenly into
 * shards. The hash of the commit selects one shard for the quick tier and another one for CI, so
 * that all cells are executed over time. {@code -Drowqueue.test.sample=ci} selects that for CI,
 * {@code =all} selects every cell, and {@code -Drowqueue.test.cell} those cells whose name is, or
 * contains, its value.
 *
 * @param cells the selected ones, in their order
 * @param share how many of all these are, and after how many commits all have run
 * @param <C> a cell; its name is its text
 */
public record Sample<C>(Class<?> test, List<C> cells, String share) {

  private static final String TIER = "rowqueue.test.sample";
  private static final String CELL = "rowqueue.test.cell";
  private static final String NO_COMMIT = "0000000";

  /** Selects, and prints what. */
  public static <C> Sample<C> of(Class<?> test, int shards, List<C> cells) {
    String tier = System.getProperty(TIER, "quick");
    String cell = System.getProperty(CELL, "");
    Sample<C> sample = of(test, shards, cells, tier, cell, Commit.HASH);
    System.out.println(sample.share);
    return sample;
  }

  static <C> Sample<C> of(
      Class<?> test, int shards, List<C> cells, String tier, String cell, String commit) {
    String which;
    List<C> selected;
    if (!cell.isEmpty()) {
      which = "named by -D" + CELL;
      selected = named(cells, cell);
    } else if (tier.equals("all")) {
      which = "all";
      selected = cells;
    } else {
      long shard = (hash(commit + test.getSimpleName()) + offset(tier)) % shards;
      selected = inShard(cells, shards, shard);
      which =
          "1/%d, commit %.7s, all are covered after about %d commits (99 %%: %d)"
              .formatted(shards, commit, untilAll(shards), until99(shards));
    }
    String said =
        "%s: %d of %d cells (%s)"
            .formatted(test.getSimpleName(), selected.size(), cells.size(), which);
    return new Sample<>(test, selected, said);
  }

  private static int offset(String tier) {
    return switch (tier) {
      case "quick" -> 0;
      case "ci" -> 1;
      default -> throw new IllegalArgumentException("-D" + TIER + "=" + tier + ": ci or all");
    };
  }

  private static <C> List<C> named(List<C> cells, String name) {
    Predicate<C> exact = cell -> cell.toString().equals(name);
    return cells.stream()
        .filter(cells.stream().anyMatch(exact) ? exact : (C cell) -> cell.toString().contains(name))
        .toList();
  }

  /** By the order of the names' hashes, so that the shards are of one size. */
  private static <C> List<C> inShard(List<C> cells, int shards, long shard) {
    List<Integer> shuffled =
        IntStream.range(0, cells.size())
            .boxed()
            .sorted(Comparator.comparing(number -> hash(cells.get(number).toString())))
            .toList();
    return IntStream.range(0, shuffled.size())
        .filter(position -> position % shards == shard)
        .map(shuffled::get)
        .sorted()
        .mapToObj(cells::get)
        .toList();
  }

  private static long hash(String text) {
    CRC32 hash = new CRC32();
    hash.update(text.getBytes(StandardCharsets.UTF_8));
    return hash.getValue();
  }

  /** The expected number of commits: the sum of the chances that so many are not enough. */
  static int untilAll(int shards) {
    double expected = 0;
    for (int commits = 0; chance(commits, shards) < 0.999_999; commits++) {
      expected += 1 - chance(commits, shards);
    }
    return (int) Math.ceil(expected);
  }

  static int until99(int shards) {
    return IntStream.iterate(1, commits -> commits + 1)
        .filter(commits -> chance(commits, shards) >= 0.99)
        .findFirst()
        .orElseThrow();
  }

  /** That so many commits cover every shard. */
  private static double chance(int commits, int shards) {
    return Math.pow(1 - Math.pow(1 - 1.0 / shards, commits), shards);
  }

  /** A test of each selected cell; one that fails says how to repeat it alone. */
  public Stream<DynamicTest> tests(Body<C> body) {
    return cells.stream().map(cell -> test(cell, cell.toString(), body));
  }

  /** A test of a part of {@code cell}; if it fails it says how to repeat the cell alone. */
  public DynamicTest test(C cell, String name, Body<C> body) {
    return dynamicTest(name, () -> saying(body).run(cell));
  }

  /** What does the same; if it fails it says how to repeat the cell alone. */
  public Body<C> saying(Body<C> body) {
    return cell -> {
      try {
        body.run(cell);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(e + "\nto repeat it alone: " + command(cell), e);
      }
    };
  }

  String command(C cell) {
    return ("mvn verify -pl :queue-proof -am -Dtest=none -Dit.test=%s"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false"
            + " -D%s='%s'")
        .formatted(test.getSimpleName(), CELL, cell.toString().replace("'", "'\\''"));
  }

  @FunctionalInterface
  public interface Body<C> {

    void run(C cell) throws Exception;
  }

  /** The commit that is tested. */
  private static final class Commit {
    private static final String HASH = read();

    private static String read() {
      try {
        Process git = new ProcessBuilder("git", "rev-parse", "HEAD").start();
        String hash = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (git.waitFor() == 0) {
          return hash.strip();
        }
      } catch (IOException e) {
        System.out.println("No git: " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      System.out.println("WARNING: no commit is known here, so EVERY run has THE SAME sample.");
      return NO_COMMIT;
    }
  }
}
