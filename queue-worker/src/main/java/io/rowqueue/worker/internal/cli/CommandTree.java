package io.rowqueue.worker.internal.cli;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** All commands at once, for what holds for every one of them. */
final class CommandTree {

  private CommandTree() {}

  /** Every command that does something, by its words, such as {@code topics pause}. */
  static Map<String, CommandLine> commands(CommandLine root) {
    Map<String, CommandLine> commands = new TreeMap<>();
    collect("", root, commands);
    return commands;
  }

  private static void collect(String words, CommandLine from, Map<String, CommandLine> commands) {
    for (Map.Entry<String, CommandLine> each : from.getSubcommands().entrySet()) {
      String name = words + each.getKey();
      if (each.getValue().getSubcommands().isEmpty()) {
        commands.put(name, each.getValue());
      } else {
        collect(name + " ", each.getValue(), commands);
      }
    }
  }

  /** Every key that a file can have: one file serves all commands. */
  static Set<String> keys(CommandLine root) {
    Set<String> keys = new TreeSet<>();
    for (CommandLine command : commands(root).values()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        String key = Settings.key(option);
        if (key != null && !key.equals(Settings.CONFIG)) {
          keys.add(key);
        }
      }
    }
    return keys;
  }

  /** The commands right below {@code spec}, in the order of the help, as a sentence has them. */
  static String names(CommandSpec spec) {
    String all = spec.subcommands().keySet().stream().collect(Collectors.joining(", "));
    int last = all.lastIndexOf(", ");
    return last < 0 ? all : all.substring(0, last) + " or " + all.substring(last + 2);
  }
}
