package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * No SQL from outside: every text that main code sends to a server, or builds a jOOQ expression of,
 * is a constant, but for numbers and for what is listed here with its reason. The compiler's own
 * trees tell, so that a constant made of constants counts as one.
 */
class SqlTextTest {

  private static final List<String> MODULES =
      List.of("queue-core", "queue-worker", "queue-testkit", "queue-handlers-example");

  /** Methods whose SQL is not constant, and why it is nobody's from outside all the same. */
  private static final Map<String, String> BUILT =
      Map.ofEntries(
          Map.entry("MultiRowInsert.prepared", "one of three constants for each row"),
          Map.entry("Jooq.execute", "one of two constants"),
          Map.entry("Listeners.on", "a constant with names of the server's kind"),
          Map.entry("Listeners.asleep", "the same, with as many parameters as there are waiters"),
          Map.entry("Listeners.isAsleep", "a constant with a name of the server's kind"),
          Map.entry("ResultListener.listen", "the same"),
          Map.entry("ServerIncarnation.identity", "the same"),
          Map.entry("ServerIncarnation.startedAt", "the same"),
          Map.entry("ResultReader.find", "a constant with as many parameters as there are ids"),
          Map.entry("Transactions.refuseOpenTransaction", "one of two constants"),
          Map.entry("BodyInsert.flush", "a constant with as many parameters as there are chunks"),
          Map.entry("KeyRows.read", "a constant with as many parameters as there are keys"),
          Map.entry("KeyRows.touch", "the same"),
          Map.entry("KeyRows.makeOrTouch", "the same"),
          Map.entry("KeyRows.confirmAll", "the same, as there are messages"),
          Map.entry("KeyRows.replace", "a constant with one of three constants for the due time"),
          Map.entry("KeyRows.name", "a constant with as many parameters as there are keys"),
          Map.entry("OrderedInsert.count", "the same, as there are ordering keys"),
          Map.entry("OrderedInsert.execute", "the same"),
          Map.entry("OrderedInsert.join", "the same, as there are members"),
          Map.entry("RenderedStatement.prepare", "what jOOQ has rendered, with its parameters"),
          Map.entry("SavepointMark.in", "a savepoint's random name, of hexadecimal digits"),
          Map.entry("SavepointMark.run", "the same"),
          Map.entry("MigrationLock.ask", "one of its two constants"),
          Map.entry("UtcInstantBinding.sql", "an instant as its own text"),
          Map.entry(
              "SessionSettings.execute",
              "constants, a number of seconds, and values quoted by the server"),
          Map.entry("SessionSettings.restoreByValue", "a text that is joined from constants"),
          Map.entry("ShopSchema.create", "the example's own script"),
          Map.entry("QueueDatabase.run", "the tests' own SQL, which is what it is for"),
          Map.entry("QueueDatabase.strings", "the same"),
          Map.entry("ArchiveDays.partition", "names and bounds of days, from LocalDate"),
          Map.entry("ArchiveDays.makeComing", "the same"),
          Map.entry("ArchiveDays.dropOld", "the same"),
          Map.entry("ConnectionCheck.requested", "one of three constants, with a parameter"),
          Map.entry("JooqGroups.leave", "a constant with as many rows of parameters as members"),
          Map.entry(
              "JooqGroups.write", "a constant with as many rows of parameters as there are groups"),
          Map.entry("JooqTableSize.rows", "a constant with one of two names of tables"),
          Map.entry("JooqPoll.plan", "what jOOQ has rendered, for a topic that is a constant"),
          Map.entry("TransactionChecks.first", "one of three constants"),
          Map.entry("AccountCheck.isRefused", "the jar's own grant scripts"),
          Map.entry("ChainRows.shard", "one of two constants, with a chain's id"),
          Map.entry("CounterShards.amounts", "one of two constants, with a counter's name"),
          Map.entry("GeneratedIds.read", "one of two constants"),
          Map.entry("Jdbc.insert", "what its callers pass, who are looked at"),
          Map.entry("Jdbc.rows", "the same"),
          Map.entry("Jdbc.update", "the same"),
          Map.entry("ShardRows.insert", "a constant with as many parameters as there are shards"),
          Map.entry("ShardRows.sum", "the same, locking or not"),
          Map.entry("ShardRows.unseal", "the same"),
          Map.entry("LockedShards.lock", "the same"),
          Map.entry("LockedShards.change", "the same"),
          Map.entry("ManyChains.enqueue", "a constant with as many rows as there are steps"),
          Map.entry("ManyChains.next", "a constant with as many parameters as there are chains"),
          Map.entry("ManyChains.shardsOf", "the same"),
          Map.entry("ManyChains.execute", "one of three constants"),
          Map.entry("DashboardPool.bounded", "a length of time, made of a number"),
          Map.entry("MessageTable.read", "a constant with the message table's name"),
          Map.entry("SessionSettings.with", "a setting's name, which is a constant, and its value"),
          Map.entry("InlineConnection.claim", "a constant with a message's id, a number"),
          Map.entry("InlineConnection.why", "the same"),
          Map.entry("InlineConnection.execute", "a savepoint's name, made of a number"),
          Map.entry("QueueDatabase.clean", "names of the test schema's own tables"),
          Map.entry("Schemas.isAsItWas", "the same, of those that a class has made"),
          Map.entry("TableRows.lines", "the same"),
          Map.entry("TestClock.set", "a time, made of two numbers"));

  @Test
  void sql_ofMainCode_isConstantOrListedWithAReason() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String module : MODULES) {
      found.addAll(nonConstant(sources(Path.of("..", "..", module, "src", "main", "java"))));
    }
    assertThat(found)
        .as(
            "methods that send SQL which is no constant; pass what comes from outside as a"
                + " parameter")
        .isEqualTo(new TreeSet<>(BUILT.keySet()));
  }

  /**
   * {@code %d} writes the digits of the default locale, such as Arabic ones; {@code %s} does not.
   */
  @Test
  void sql_ofMainCode_hasDigitsOfNoLocale() throws IOException {
    Pattern sql =
        Pattern.compile(
            "\"[^\"\n]*\\b(SET|SELECT|UPDATE|DELETE|INSERT|KILL|ALTER|WHERE)\\b.*%[\\d$,]*[df]");
    for (String module : MODULES) {
      for (JavaFileObject source : sources(Path.of("..", "..", module, "src", "main", "java"))) {
        assertThat(sql.matcher(source.getCharContent(true)).results().map(MatchResult::group))
            .as("numbers in SQL; write %%s instead")
            .isEmpty();
      }
    }
  }

  @Test
  void scan_ofConcatenatedOutsideData_findsEachKind() throws IOException {
    String source =
        """
        package example;
        import java.sql.Connection;
        import org.jooq.DSLContext;
        import org.jooq.impl.DSL;
        class Planted {
          static final String HEAD = "SELECT ";
          static final String WHOLE = HEAD + 1;
          void concatenated(Connection c, String name) throws Exception {
            c.createStatement().execute("DELETE FROM t WHERE a = '" + name + "'");
          }
          void formatted(Connection c, String name) throws Exception {
            c.prepareStatement("DELETE FROM %s".formatted(name)).execute();
          }
          void variable(DSLContext dsl, String sql) { dsl.fetch(sql); }
          void condition(String name) { DSL.condition("a = '" + name + "'"); }
          void field(String name) { DSL.field(name, String.class); }
          void inline(String name) { DSL.inline(name); }
          void fine(Connection c, DSLContext dsl, long id, String name) throws Exception {
            c.createStatement().execute("KILL QUERY " + id);
            c.prepareStatement(WHOLE + " FROM t");
            dsl.fetch("SELECT ?", name);
            DSL.condition("a = {0}", DSL.val(name));
          }
        }
        """;
    assertThat(nonConstant(List.of(new Text(source))))
        .containsExactlyInAnyOrder(
            "Planted.concatenated",
            "Planted.formatted",
            "Planted.variable",
            "Planted.condition",
            "Planted.field",
            "Planted.inline");
  }

  private static List<JavaFileObject> sources(Path root) throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        if (!file.endsWith("package-info.java")) {
          sources.add(new Text(Files.readString(file)));
        }
      }
    }
    assertThat(sources).isNotEmpty();
    return sources;
  }

  /** {@code Class.method} of every call that hands over SQL which is no constant. */
  private static Set<String> nonConstant(List<JavaFileObject> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-nowarn");
      JavacTask task =
          (JavacTask) compiler.getTask(null, files, problem -> {}, options, null, sources);
      List<CompilationUnitTree> units = new ArrayList<>();
      task.parse().forEach(units::add);
      task.analyze();
      SqlScan scan = new SqlScan(task);
      units.forEach(unit -> scan.scan(unit, null));
      assertThat(scan.calls()).as("calls that take SQL").isPositive();
      return scan.found();
    }
  }

  /** A source in memory: its name matters to nobody. */
  private static final class Text extends SimpleJavaFileObject {

    private final String source;

    Text(String source) {
      super(URI.create("string:///" + publicType(source) + Kind.SOURCE.extension), Kind.SOURCE);
      this.source = source;
    }

    private static String publicType(String source) {
      return source
          .replaceAll("(?s)/\\*.*?\\*/", "")
          .replaceAll("(?s).*?\\b(?:class|interface|enum|record|@interface) (\\w+)\\b.*", "$1");
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source;
    }
  }
}
