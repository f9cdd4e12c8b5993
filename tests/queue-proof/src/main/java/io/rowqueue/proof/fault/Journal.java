package io.rowqueue.proof.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** What the workers' journals say, all processes together. */
final class Journal {

  private static final String SUFFIX = ".journal";

  private final Map<Long, List<Handling>> handlings = new HashMap<>();

  static Journal read(Path home) throws IOException {
    Journal journal = new Journal();
    try (Stream<Path> files = Files.list(home)) {
      for (Path file : files.filter(file -> file.toString().endsWith(SUFFIX)).toList()) {
        journal.read(file, Long.parseLong(file.getFileName().toString().replace(SUFFIX, "")));
      }
    }
    journal.handlings.values().forEach(all -> all.sort(Comparator.comparingLong(Handling::begin)));
    return journal;
  }

  /** The handlings of each message, in the order of their beginnings. */
  Map<Long, List<Handling>> byMessage() {
    return handlings;
  }

  /**
   * The longest time in which nobody ended a handling well, of what passed at least in part between
   * two moments.
   */
  long longestPauseNanos(long from, long to) {
    long[] ends =
        handlings.values().stream()
            .flatMap(List::stream)
            .filter(Handling::returned)
            .mapToLong(Handling::end)
            .sorted()
            .toArray();
    long longest = 0;
    for (int i = 1; i < ends.length; i++) {
      if (ends[i] > from && ends[i - 1] < to) {
        longest = Math.max(longest, ends[i] - ends[i - 1]);
      }
    }
    return longest;
  }

  private void read(Path file, long pid) throws IOException {
    Map<String, Handling> open = new HashMap<>();
    for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
      String[] words = line.split(" ", -1);
      String key = words[1] + " " + words[2];
      if (words[0].equals("begin")) {
        open.put(key, Handling.begun(pid, words));
      } else {
        Handling begun = Objects.requireNonNull(open.remove(key), "an end without a beginning");
        add(begun.ended(words[3], Long.parseLong(words[4])));
      }
    }
    open.values().forEach(this::add);
  }

  private void add(Handling handling) {
    handlings.computeIfAbsent(handling.id(), id -> new ArrayList<>()).add(handling);
  }

  /** One call of a handler. */
  record Handling(long pid, long id, int claim, int attempt, long begin, long end, String outcome) {

    static Handling begun(long pid, String[] words) {
      return new Handling(
          pid,
          Long.parseLong(words[1]),
          Integer.parseInt(words[2]),
          Integer.parseInt(words[3]),
          Long.parseLong(words[4]),
          Long.MAX_VALUE,
          "");
    }

    Handling ended(String how, long nanos) {
      return new Handling(pid, id, claim, attempt, begin, nanos, how);
    }

    /** It honored a cancellation request. */
    boolean cancelled() {
      return outcome.equals("cancelled");
    }

    boolean returned() {
      return outcome.equals("returned");
    }
  }
}
