package io.rowqueue.testkit;

import com.google.inject.AbstractModule;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.ProvisionException;
import com.google.inject.Singleton;
import com.google.inject.spi.Message;
import com.google.inject.util.Modules;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.QueueException;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jooq.tools.jdbc.MockConnection;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jspecify.annotations.Nullable;

/**
 * The real components with the application's modules, without writes: only components that send SQL
 * are replaced.
 */
final class Wiring {

  private Wiring() {}

  /**
   * Creates the components, with the bindings of {@code team}, some of them replaced by {@code
   * instead}.
   */
  static Injector of(Stage stage, List<Module> team, List<Module> instead, Surroundings around) {
    Module core =
        Modules.override(new QueueCoreModule(), around).with(new Recorded(stage, around.answers));
    List<Module> all = new ArrayList<>(List.of(core));
    all.addAll(team);
    try {
      Injector injector = Guice.createInjector(Modules.override(all).with(instead));
      injector.getInstance(HandlerRegistry.class);
      return injector;
    } catch (CreationException e) {
      throw new HandlerConfigurationException(
          "the Guice modules are invalid:\n" + lines(e.getErrorMessages()), e);
    } catch (ProvisionException e) {
      throw e.getCause() instanceof QueueException known ? known : e;
    }
  }

  /** Guice's errors are numbered, colored and explained at length. */
  private static String lines(Collection<Message> errors) {
    return errors.stream()
        .map(error -> "  " + text(error.getMessage()) + from(error.getSource()))
        .distinct()
        .collect(Collectors.joining("\n"));
  }

  private static String text(String message) {
    return message
        .replaceAll("\u001B\\[[0-9;]*m", "")
        .replaceFirst("\\[Guice/\\w+]:\\s*", "")
        .strip()
        .lines()
        .findFirst()
        .orElse("");
  }

  private static String from(String source) {
    String place = source.replaceFirst("^Key\\[.*]@", "");
    return place.startsWith("[") ? "" : " (" + place + ")";
  }

  /** The bindings of a worker's configuration. */
  static final class Surroundings extends AbstractModule {

    private final HandlerDefaults defaults;
    private final @Nullable MockDataProvider answers;

    Surroundings(HandlerDefaults defaults, @Nullable MockDataProvider answers) {
      this.defaults = defaults;
      this.answers = answers;
    }

    @Override
    protected void configure() {
      bind(HandlerDefaults.class).toInstance(defaults);
      bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    }
  }

  private static final class Recorded extends AbstractModule {

    private final Stage stage;
    private final DataSource connections;

    Recorded(Stage stage, @Nullable MockDataProvider answers) {
      this.stage = stage;
      MockDataProvider server = new NoDatabase(stage, answers);
      this.connections = new FreshConnections(() -> new MockConnection(server));
    }

    @Override
    protected void configure() {
      bind(Settler.class).toInstance(new RecordingSettler(stage));
      bind(ClaimStore.class).toInstance(new HeldClaims());
      bind(QueueSchema.class).toInstance(new NamedQueue());
    }

    @Provides
    @Singleton
    Transactions transactions(TransactionProbe probe) {
      return new Transactions(connections, ServerDialect.MYSQL, probe);
    }

    @Provides
    @Singleton
    @HandlerConnections
    Transactions handlerTransactions(Transactions transactions) {
      return transactions;
    }

    @Provides
    @Singleton
    MessageProducer producer(MessageLimits limits, Set<Wrapping> wrappings) {
      return new RecordingProducer(
          stage, new Encoder(PayloadCodec.json(), Wrapping.all(wrappings), limits));
    }

    @Provides
    @Singleton
    HandlerRegistry registry(
        Set<HandlerBinding> bindings, HandlerDefaults defaults, Unwrapping unwrapping) {
      return new HandlerRegistry(new RecordedBindings(stage).of(bindings), defaults, unwrapping);
    }
  }

  /** A constant name, for reproducible tests. */
  private static final class NamedQueue implements QueueSchema {

    @Override
    public void check() {}

    @Override
    public String queueName() {
      return "test";
    }
  }
}
