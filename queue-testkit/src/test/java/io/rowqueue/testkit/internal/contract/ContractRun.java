package io.rowqueue.testkit.internal.contract;

import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Contracts that a test runs within itself, on a queue with a mistake in it. */
public record ContractRun(TestExecutionSummary summary) {

  /** Runs what {@code selectors} name. */
  public static ContractRun of(List<? extends DiscoverySelector> selectors) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Launcher launcher = LauncherFactory.create();
    launcher.execute(request, listener);
    return new ContractRun(listener.getSummary());
  }

  /** How many cases were green. */
  public long succeeded() {
    return summary.getTestsSucceededCount();
  }

  /** The names of the cases that failed. */
  public List<String> failed() {
    return summary.getFailures().stream()
        .map(failure -> failure.getTestIdentifier().getDisplayName())
        .sorted()
        .toList();
  }
}
