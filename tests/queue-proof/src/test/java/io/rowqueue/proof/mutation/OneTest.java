package io.rowqueue.proof.mutation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

final class OneTest {

  static final int GREEN = 0;
  static final int RED = 10;
  static final int NOT_RUN = 11;

  private OneTest() {}

  /** Exits with one of the codes above; says which tests failed. */
  public static void main(String[] arguments) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                arguments[0].contains("#") ? selectMethod(arguments[0]) : selectClass(arguments[0]))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary
        .getFailures()
        .forEach(
            failure -> System.out.println("RED " + failure.getTestIdentifier().getDisplayName()));
    summary.printTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.exit(
        summary.getTestsStartedCount() == 0
            ? NOT_RUN
            : summary.getTotalFailureCount() > 0 ? RED : GREEN);
  }
}
