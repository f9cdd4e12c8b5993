package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** For commands whose result people and programs read. */
@Setting
final class JsonOptions {

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  boolean requested() {
    return json;
  }

  /** The text for people, or the object that {@code fill} fills, whichever is asked for. */
  String choose(Supplier<String> text, Consumer<ObjectNode> fill) {
    if (!json) {
      return text.get();
    }
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    fill.accept(root);
    return root.toPrettyString();
  }
}
