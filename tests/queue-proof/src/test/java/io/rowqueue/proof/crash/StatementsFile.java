package io.rowqueue.proof.crash;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * {@code statements.txt}: each statement once, with a number; then each operation with the numbers
 * of the statements that it sends, twice where the servers differ.
 */
final class StatementsFile {

  private static final Path FILE =
      Path.of("src", "test", "resources", "io", "rowqueue", "proof", "crash", "statements.txt");
  private static final Pattern STATEMENT = Pattern.compile("(?m)^(\\d+) (.+)$");
  private static final Pattern OPERATION =
      Pattern.compile("(?m)^([a-z][^:]*?)(?: \\((MariaDB|MySQL)\\))?: ([\\d ]+)$");
  private static final List<String> SERVERS = List.of("MariaDB", "MySQL");

  private final Map<Integer, String> texts = new TreeMap<>();
  private final Map<String, Map<String, List<Integer>>> operations = new LinkedHashMap<>();

  private StatementsFile() {}

  static StatementsFile read() throws IOException {
    StatementsFile file = new StatementsFile();
    String text = Files.readString(FILE);
    STATEMENT
        .matcher(text)
        .results()
        .forEach(found -> file.texts.put(Integer.valueOf(found.group(1)), found.group(2)));
    OPERATION.matcher(text).results().forEach(file::readOperation);
    return file;
  }

  private void readOperation(MatchResult found) {
    List<Integer> numbers = Arrays.stream(found.group(3).split(" ")).map(Integer::valueOf).toList();
    List<String> servers = found.group(2) == null ? SERVERS : List.of(found.group(2));
    servers.forEach(
        server ->
            operations
                .computeIfAbsent(found.group(1), name -> new TreeMap<>())
                .put(server, numbers));
  }

  /** Every statement of the file, each once. */
  List<String> statements() {
    return List.copyOf(texts.values());
  }

  Set<String> operations() {
    return operations.keySet();
  }

  /** What {@code operation} sends to {@code server}; empty if the file does not say. */
  List<String> statements(String operation, String server) {
    return operations.getOrDefault(operation, Map.of()).getOrDefault(server, List.of()).stream()
        .map(texts::get)
        .toList();
  }

  /** The numbers of statements that no operation sends. */
  Set<Integer> unused() {
    Set<Integer> unused = new TreeSet<>(texts.keySet());
    operations.values().forEach(both -> both.values().forEach(unused::removeAll));
    return unused;
  }

  /** Writes what {@code server} was sent, and keeps what the other one was sent. */
  void update(String server, Map<String, List<String>> sent) throws IOException {
    Map<String, Map<String, List<Integer>>> before = new LinkedHashMap<>(operations);
    operations.clear();
    sent.forEach(
        (operation, statements) -> {
          Map<String, List<Integer>> both = new TreeMap<>(before.getOrDefault(operation, Map.of()));
          both.put(server, statements.stream().map(this::number).toList());
          operations.put(operation, both);
        });
    unused().forEach(texts::remove);
    Files.writeString(FILE, text());
  }

  /** A statement keeps its number, so that a change of one is a change of one line. */
  private int number(String statement) {
    int number = 1;
    for (Map.Entry<Integer, String> known : texts.entrySet()) {
      if (known.getValue().equals(statement)) {
        return known.getKey();
      }
      number = known.getKey() + 1;
    }
    texts.put(number, statement);
    return number;
  }

  private String text() {
    List<String> lines = new ArrayList<>();
    lines.add("Written by SentStatementsIT with -Drowqueue.docs.update=true, on both servers.");
    lines.add("");
    texts.forEach((number, statement) -> lines.add(number + " " + statement));
    lines.add("");
    operations.forEach(
        (operation, both) -> {
          if (Set.copyOf(both.values()).size() == 1) {
            lines.add(operation + ": " + numbers(both.values().iterator().next()));
          } else {
            both.forEach(
                (server, numbers) ->
                    lines.add("%s (%s): %s".formatted(operation, server, numbers(numbers))));
          }
        });
    return String.join("\n", lines) + "\n";
  }

  private static String numbers(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(joining(" "));
  }
}
