package io.rowqueue.tests;

/** The second server of a whole build, where what says nothing more is left out. */
public final class SecondServer {

  /** The system property that says so; as {@code true}. */
  public static final String PROPERTY = "test.skip.pure";

  public static final boolean IS_HERE = Boolean.getBoolean(PROPERTY);

  private SecondServer() {}
}
