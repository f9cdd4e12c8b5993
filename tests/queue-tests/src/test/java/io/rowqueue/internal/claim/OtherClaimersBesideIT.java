package io.rowqueue.internal.claim;

import io.rowqueue.ClaimSettings.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("ci")
@ParameterizedClass(name = "{0}")
@EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "SKIP_LOCKED")
class OtherClaimersBesideIT extends ClaimersBesideIT {

  @Parameter private Kind kind = Kind.UPDATE_LIMIT;

  @Override
  Kind kind() {
    return kind;
  }
}
