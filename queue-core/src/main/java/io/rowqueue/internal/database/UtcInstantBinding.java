package io.rowqueue.internal.database;

import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jooq.Binding;
import org.jooq.BindingGetResultSetContext;
import org.jooq.BindingGetSQLInputContext;
import org.jooq.BindingGetStatementContext;
import org.jooq.BindingRegisterContext;
import org.jooq.BindingSQLContext;
import org.jooq.BindingSetSQLOutputContext;
import org.jooq.BindingSetStatementContext;
import org.jooq.Converter;
import org.jooq.conf.ParamType;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Maps a {@code DATETIME(6)} column to the UTC instant that it represents, bound and read as {@link
 * UtcText} says. Thread-safe.
 */
public final class UtcInstantBinding implements Binding<LocalDateTime, Instant> {

  private static final Converter<LocalDateTime, Instant> CONVERTER =
      Converter.ofNullable(
          LocalDateTime.class,
          Instant.class,
          local -> local.toInstant(ZoneOffset.UTC),
          instant -> LocalDateTime.ofInstant(instant, ZoneOffset.UTC));

  /** Called by jOOQ's generated classes. */
  public UtcInstantBinding() {}

  @Override
  public Converter<LocalDateTime, Instant> converter() {
    return CONVERTER;
  }

  @Override
  public void sql(BindingSQLContext<Instant> ctx) {
    if (ctx.render().paramType() == ParamType.INLINED) {
      ctx.render().visit(DSL.inline(textOrNull(ctx.convert(CONVERTER).value())));
    } else {
      ctx.render().sql(UtcText.PARAMETER.replace("?", ctx.variable()));
    }
  }

  @Override
  public void register(BindingRegisterContext<Instant> ctx) throws SQLException {
    ctx.statement().registerOutParameter(ctx.index(), Types.TIMESTAMP);
  }

  @Override
  public void set(BindingSetStatementContext<Instant> ctx) throws SQLException {
    ctx.statement().setString(ctx.index(), textOrNull(ctx.convert(CONVERTER).value()));
  }

  @Override
  public void get(BindingGetResultSetContext<Instant> ctx) throws SQLException {
    ctx.convert(CONVERTER).value(ctx.resultSet().getObject(ctx.index(), LocalDateTime.class));
  }

  @Override
  public void get(BindingGetStatementContext<Instant> ctx) throws SQLException {
    ctx.convert(CONVERTER).value(ctx.statement().getObject(ctx.index(), LocalDateTime.class));
  }

  @Override
  public void set(BindingSetSQLOutputContext<Instant> ctx) throws SQLException {
    throw new SQLFeatureNotSupportedException("RowQueue does not write user-defined SQL types");
  }

  @Override
  public void get(BindingGetSQLInputContext<Instant> ctx) throws SQLException {
    throw new SQLFeatureNotSupportedException("RowQueue does not read user-defined SQL types");
  }

  private static @Nullable String textOrNull(@Nullable LocalDateTime value) {
    return value == null ? null : UtcText.of(value);
  }
}
