package io.rowqueue.worker;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a user of the dashboard may change. Everybody may read. A role names several, such as {@code
 * redrive+pause}; {@code read} is none of them and {@code operate} all. Oban Web divides access
 * likewise.
 */
public enum Permission {
  /** Pause and resume topics, schedules, subscriptions and workers. */
  PAUSE,

  /** Run messages and schedules now, reschedule messages and change their priority. */
  RUN,

  /** Redrive dead letters as they are. */
  REDRIVE,

  /** Redrive dead letters with another payload. */
  EDIT,

  /** Cancel messages, purge topics and delete dead letters. */
  DELETE,

  /** Drain workers. */
  DRAIN,

  /** Change limits, rates and other settings of topics. */
  SETTINGS;

  private static final String READ = "read";
  private static final String OPERATE = "operate";

  /** All of them. */
  public static Set<Permission> all() {
    return EnumSet.allOf(Permission.class);
  }

  /**
   * Returns what {@code role} permits.
   *
   * @return null if {@code role} is no role
   */
  static @Nullable Set<Permission> ofRole(String role) {
    if (role.equals(READ) || role.equals(OPERATE)) {
      return role.equals(READ) ? EnumSet.noneOf(Permission.class) : all();
    }
    Set<Permission> permissions = EnumSet.noneOf(Permission.class);
    for (String name : role.split("\\+", -1)) {
      Optional<Permission> known =
          Arrays.stream(values()).filter(one -> one.toString().equals(name)).findFirst();
      if (known.isEmpty()) {
        return null;
      }
      permissions.add(known.get());
    }
    return permissions;
  }

  /** The name in roles. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
