package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest, and the Java that runs it. */
final class VersionText implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = VersionText.class.getPackage().getImplementationVersion();
    return new String[] {
      "RowQueue %s (Java %s)"
          .formatted(version == null ? "development" : version, Runtime.version().toString())
    };
  }
}
