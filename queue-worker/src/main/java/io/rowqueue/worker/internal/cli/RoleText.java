package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Role;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Roles by their labels. */
final class RoleText implements ITypeConverter<Role> {

  @Override
  public Role convert(String text) {
    return Arrays.stream(Role.values())
        .filter(role -> role.label().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no role; there are %s".formatted(text, all())));
  }

  private static String all() {
    return Arrays.stream(Role.values()).map(Role::label).collect(Collectors.joining(", "));
  }
}
