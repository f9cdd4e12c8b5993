package io.rowqueue.internal.wrap;

/** An optional library that not every application has on its class path. */
public final class Library {

  private Library() {}

  /**
   * Checks that {@code type} can be loaded, so that a missing library is reported when a wrapper is
   * configured and not when a payload needs it.
   *
   * @param artifact the artifact to add to the class path
   * @throws IllegalStateException if it cannot be loaded
   */
  public static void require(String type, String artifact) {
    try {
      Class.forName(type, true, Library.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "%s is not on the class path; add it, in the version from RowQueue's pom"
              .formatted(artifact),
          e);
    } catch (LinkageError e) {
      throw new IllegalStateException("%s cannot be loaded here: %s".formatted(artifact, e), e);
    }
  }
}
