package io.rowqueue.internal.wrap;

/** A library that only some teams have on their class path. */
public final class Library {

  private Library() {}

  /**
   * Makes sure that {@code type} can be used here, so that what is missing is known when a wrapper
   * is named and not when a payload waits for it.
   *
   * @param artifact what to add to the class path
   * @throws IllegalStateException if it cannot
   */
  public static void require(String type, String artifact) {
    try {
      Class.forName(type, true, Library.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "%s is not on the class path; add it, in the version that RowQueue's pom names"
              .formatted(artifact),
          e);
    } catch (LinkageError e) {
      throw new IllegalStateException("%s cannot be loaded here: %s".formatted(artifact, e), e);
    }
  }
}
