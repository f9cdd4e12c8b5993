package io.rowqueue.database;

import java.sql.ResultSet;
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
 * Reads and writes a {@code DATETIME(6)} column as the UTC instant it stands for.
 *
 * <p>The column travels as a {@link LocalDateTime}, which no driver shifts, so neither the JVM's
 * nor the session's time zone can change a value. jOOQ's own bindings go through {@code Timestamp}
 * and do shift. Precision is the microsecond. Thread-safe.
 */
public final class UtcInstantBinding implements Binding<LocalDateTime, Instant> {

  private static final Converter<LocalDateTime, Instant> CONVERTER =
      Converter.ofNullable(
          LocalDateTime.class,
          Instant.class,
          local -> local.toInstant(ZoneOffset.UTC),
          instant -> LocalDateTime.ofInstant(instant, ZoneOffset.UTC));

  /** The instant in a column of {@code row} that is never null. */
  public static Instant read(ResultSet row, int column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }

  /** Called by jOOQ's generated classes. */
  public UtcInstantBinding() {}

  @Override
  public Converter<LocalDateTime, Instant> converter() {
    return CONVERTER;
  }

  @Override
  public void sql(BindingSQLContext<Instant> ctx) {
    if (ctx.render().paramType() == ParamType.INLINED) {
      ctx.render().visit(DSL.inline(text(ctx.convert(CONVERTER).value())));
    } else {
      ctx.render().sql(ctx.variable());
    }
  }

  @Override
  public void register(BindingRegisterContext<Instant> ctx) throws SQLException {
    ctx.statement().registerOutParameter(ctx.index(), Types.TIMESTAMP);
  }

  @Override
  public void set(BindingSetStatementContext<Instant> ctx) throws SQLException {
    ctx.statement().setObject(ctx.index(), ctx.convert(CONVERTER).value());
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
    throw new SQLFeatureNotSupportedException("RowQueue writes no user-defined SQL types");
  }

  @Override
  public void get(BindingGetSQLInputContext<Instant> ctx) throws SQLException {
    throw new SQLFeatureNotSupportedException("RowQueue reads no user-defined SQL types");
  }

  private static @Nullable String text(@Nullable LocalDateTime value) {
    return value == null ? null : value.toString().replace('T', ' ');
  }
}
